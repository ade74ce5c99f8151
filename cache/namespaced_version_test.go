package cache

import (
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
)

// Each namespace has its own version, which events, bookmarks and lists move once they are in the store.
func TestStoreVersionOfANamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stages := map[string]*stage{"a": newStage(), "b": newStage()}
		informer := NewNamespacedInformer(func(namespace string) ListerWatcher { return stages[namespace].lw() },
			&corev1.Pod{}, []string{"a", "b"}, SharedIndexInformerOptions{})
		check := func(a, b string) {
			t.Helper()
			synctest.Wait()
			if gotA, gotB := informer.StoreVersion("a"), informer.StoreVersion("b"); gotA != a || gotB != b {
				t.Errorf("at %q and %q, want %q and %q", gotA, gotB, a, b)
			}
		}
		check("", "")
		run(t, informer)
		check("1", "1")
		stages["a"].current().Add(pod("a", "p", "5"))
		check("5", "1")
		stages["b"].current().Action("BOOKMARK", pod("", "", "7"))
		check("5", "7")
		stages["a"].current().Delete(pod("a", "p", "9"))
		check("9", "7")
		stages["b"].set("12", pod("b", "q", "11"))
		stages["b"].relist()
		synctest.Wait()
		if got := informer.StoreVersion("c"); got != "" {
			t.Errorf("%q in a namespace that is not looked at", got)
		}
		mustNot(t, informer.SetNamespaces("a"))
		check("9", "")
		if informer.GetStore().LastStoreSyncResourceVersion() != "" {
			t.Error("the store has a version")
		}
	})
}

func TestATransformDoesNotSpoilTheVersionOfANamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(in("a", "a-1", "1"))
		i := NewNamespacedInformer(func(string) ListerWatcher { return s.lw() }, &corev1.Pod{}, []string{"a"}, SharedIndexInformerOptions{})
		mustNot(t, i.SetTransform(func(obj any) (any, error) {
			obj.(*corev1.Pod).ResourceVersion = ""
			return obj, nil
		}))
		run(t, i)
		s.current().Modify(in("a", "a-1", "7"))
		synctest.Wait()
		wantEqual(t, "version", i.StoreVersion("a"), "7")
	})
}
