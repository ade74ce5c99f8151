package memory

import (
	"errors"
	"fmt"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/internal/podcache"
	"vedette.dev/bench/pods"
)

// listing reads many pods, lists times over. Each belongs to the caller: with client-go it is copied.
type listing struct {
	*podcache.Running
	look  func(l podcache.Lister) (int, error) // returns at how many pods it has looked
	want  int
	lists int
	err   error
}

// all looks at each pod, and forgets it.
func all(l podcache.Lister) (n int, err error) {
	for pod, err := range l.All() {
		if err != nil {
			return n, err
		}
		if pod.Name != "" && len(pod.Spec.Containers) > 0 {
			n++
		}
	}
	return n, nil
}

// metadata looks at the metadata of each pod, and forgets it.
func metadata(l podcache.Lister) (n int, err error) {
	for m, err := range l.Metadata() {
		if err != nil {
			return n, err
		}
		if m.Name != "" && len(m.Labels) > 0 && len(m.OwnerReferences) > 0 {
			n++
		}
	}
	return n, nil
}

// inNamespace lists the namespace of the first pod.
func inNamespace(l podcache.Lister) (int, error) {
	found, err := l.InNamespace(pods.Key(0).Namespace)
	for i := range found {
		if found[i].Name == "" {
			err = errors.New("a pod without a name")
		}
	}
	return len(found), err
}

func newListing(c podcache.Config, size, lists int, one string, look func(l podcache.Lister) (int, error)) func(harness.Config) (harness.Trial, error) {
	return func(h harness.Config) (harness.Trial, error) {
		c.Side, c.Pods = h.Side, h.Size(size, 2000)
		r, err := podcache.PrepareSynced(c)
		if err != nil {
			return nil, err
		}
		t := &listing{Running: r, look: look, lists: h.Size(lists, 2)}
		for i := range c.Pods {
			if one == "" || pods.Key(i).Namespace == one {
				t.want++
			}
		}
		return t, nil
	}
}

// Ops is the number of pods that are looked at.
func (t *listing) Ops() int { return t.lists * t.want }

func (t *listing) Run() {
	for range t.lists {
		n, err := t.look(t.Lister())
		if err == nil && n != t.want {
			err = fmt.Errorf("%d pods were looked at, want %d", n, t.want)
		}
		if err != nil {
			t.err = err
			return
		}
	}
}

func (t *listing) Finish() (harness.Sample, error) {
	if t.err == nil {
		t.err = t.Check(func(int) int { return 0 })
	}
	return nil, errors.Join(t.err, t.End())
}

// lists are the workloads that list packed pods.
func lists() []harness.Workload {
	one := pods.Key(0).Namespace
	row := func(aim float64) []harness.Row {
		return []harness.Row{{Value: harness.Wall, Aim: harness.Ratio(aim)}, {Value: harness.CPU}}
	}
	const suffix = " vedette keeps pods packed; client-go's caller copies what it gets."
	return []harness.Workload{
		{
			Name: "memory/list-all-packed", Rows: row(1.2), Prepare: newListing(packed, fewPods, 5, "", all),
			Doc: fmt.Sprintf("Each of %d pods is looked at, one after the other, the time for one;", fewPods) + suffix,
		},
		{
			Name: "memory/list-metadata-packed", Rows: row(0.5), Prepare: newListing(packed, fewPods, 20, "", metadata),
			Doc: fmt.Sprintf("The metadata of each of %d pods is looked at, one after the other, the time for one;", fewPods) + suffix,
		},
		{
			Name: "memory/list-namespace-packed", Rows: row(1), Prepare: newListing(bridged(packed), fewPods, 20, one, inNamespace),
			Doc: fmt.Sprintf("List of a namespace of %d pods through controller-runtime's cache, with and without the bridge, the time for a pod;", fewPods) + suffix,
		},
	}
}
