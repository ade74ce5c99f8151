package cache

import (
	"slices"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
)

// in is a pod of some namespace.
func in(namespace, name, version string) *corev1.Pod { return pod(namespace, name, version) }

func TestTheSetOfNamespacesMayChangeWhileAnInformerRuns(t *testing.T) {
	stages := map[string]*stage{
		"one":   newStage(in("one", "a", "1")),
		"two":   newStage(in("two", "b", "1")),
		"three": newStage(in("three", "c", "1"), in("three", "d", "1")),
	}
	synctest.Test(t, func(t *testing.T) {
		i := NewNamespacedInformer(func(namespace string) ListerWatcher { return stages[namespace].lw() },
			&corev1.Pod{}, []string{"one", "two"}, SharedIndexInformerOptions{})
		d := &diary{}
		r, err := i.AddEventHandler(d)
		mustNot(t, err)
		run(t, i)
		wantEqual(t, "synced", []bool{i.HasSynced(), r.HasSynced()}, []bool{true, true})
		wantEqual(t, "at first", sorted(d.read()), []string{"initially a@1", "initially b@1"})

		mustNot(t, i.SetNamespaces("one", "two", "three"))
		synctest.Wait()
		wantEqual(t, "one more", d.read(), []string{"add c@1", "add d@1"})
		wantEqual(t, "lists", []int{stages["one"].lists, stages["two"].lists, stages["three"].lists}, []int{1, 1, 1})
		stages["three"].current().Modify(in("three", "c", "2"))
		synctest.Wait()
		wantEqual(t, "and its changes", d.read(), []string{"update c@1 to c@2"})

		mustNot(t, i.SetNamespaces("three", "two"))
		synctest.Wait()
		wantEqual(t, "one less", d.read(), []string{"delete a@1?"})
		wantEqual(t, "namespaces", i.Namespaces(), []string{"three", "two"})
		wantEqual(t, "in the store", namesOf(i.GetStore().List()), []string{"b", "c", "d"})
		wantEqual(t, "lists", []int{stages["one"].lists, stages["two"].lists, stages["three"].lists}, []int{1, 1, 1})

		mustNot(t, i.SetNamespaces())
		synctest.Wait()
		wantEqual(t, "none", sorted(d.read()), []string{"delete b@1?", "delete c@2?", "delete d@1?"})
		wantError(t, i.SetNamespaces("a/b"), "not the name of a namespace")
		wantError(t, i.SetNamespaces(""), "not the name of a namespace")
	})
}

func TestAnInformerOfNoNamespaceIsSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := NewNamespacedInformer(nil, &corev1.Pod{}, nil, SharedIndexInformerOptions{})
		run(t, i)
		wantEqual(t, "synced", i.HasSynced(), true)
	})
}

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}
