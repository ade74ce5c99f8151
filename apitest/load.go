package apitest

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest/internal/load"
)

// Load is what [Server.Fill] adds: pods, copies of an object, or both. It is deterministic.
type Load struct {
	// Pods is the number of pods to add. They are like those of a real cluster: about 8 KB of JSON each, with
	// environment variables, probes, volumes, managed fields, an owner and the status of a running pod. Their nodes and
	// ReplicaSets are only names; their namespaces are created.
	Pods int
	// Namespaces and Nodes are the numbers of namespaces and nodes that the pods are spread over, and Replicas the
	// number of pods per ReplicaSet. 0 means one namespace for every 1,000 pods, one node for every 30, and 20
	// replicas.
	Namespaces, Nodes, Replicas int

	// Object is copied Count times, under names derived from its own: the copies of "web" are "web-000000" and so on.
	// It may be of any kind that the server serves, and is stored unchanged.
	Object runtime.Object
	Count  int

	// Seed is the seed of the random data. Pods of two loads with the same seed have the same names.
	Seed uint64
	// Progress, if set, is called from time to time, and at the end, with the number of objects added and the total.
	Progress func(done, total int)
}

func (l *Load) validate() error {
	for _, field := range []struct {
		name  string
		value int
	}{{"Pods", l.Pods}, {"Namespaces", l.Namespaces}, {"Nodes", l.Nodes}, {"Replicas", l.Replicas}, {"Count", l.Count}} {
		if field.value < 0 {
			return fmt.Errorf("apitest: Load.%s is negative: %d", field.name, field.value)
		}
	}
	switch {
	case l.Object == nil && l.Count > 0:
		return errors.New("apitest: Load.Count is set, but there is no Load.Object to copy")
	case l.Object != nil && l.Count == 0:
		return errors.New("apitest: Load.Object is set, but Load.Count is 0")
	case l.Pods == 0 && l.Count == 0:
		return errors.New("apitest: Load.Pods and Load.Count are both 0")
	}
	return nil
}

// options returns the options of the pods, with defaults filled in.
func (l *Load) options() load.Options {
	or := func(value, otherwise int) int {
		if value == 0 {
			return max(1, otherwise)
		}
		return value
	}
	return load.Options{
		Seed:       l.Seed,
		Namespaces: or(l.Namespaces, l.Pods/1000),
		Nodes:      or(l.Nodes, l.Pods/30),
		Replicas:   or(l.Replicas, 20),
	}
}

// Fill adds many objects, as Put does: nothing is validated, and objects of the same name are replaced. It stops when
// ctx ends.
func (s *Server) Fill(ctx context.Context, l Load) error {
	if err := l.validate(); err != nil {
		return err
	}
	fill := &filling{server: s, ctx: ctx, load: &l}
	if l.Pods > 0 {
		pods := load.New(l.options())
		if err := fill.put(l.Pods, func(i int) runtime.Object { return pods.Pod(i) }); err != nil {
			return err
		}
	}
	if l.Count > 0 {
		copies, err := load.NewCopies(l.Object, l.Seed)
		if err != nil {
			return fmt.Errorf("apitest: Load.Object (%T): %w", l.Object, err)
		}
		if err := fill.put(l.Count, copies.Copy); err != nil {
			return err
		}
	}
	fill.report()
	return nil
}

// filling is a running Fill.
type filling struct {
	server *Server
	ctx    context.Context
	load   *Load
	done   int
}

func (f *filling) put(count int, object func(int) runtime.Object) error {
	const often = 1000 // how often to check ctx
	for i := range count {
		if f.done%often == 0 {
			if err := f.ctx.Err(); err != nil {
				return fmt.Errorf("apitest: added %d of %d objects: %w", f.done, f.total(), err)
			}
			if f.done > 0 {
				f.report()
			}
		}
		obj := object(i)
		if err := f.server.api.TakeObject(obj); err != nil {
			return fmt.Errorf("apitest: object %d of the load (%T): %w", f.done, obj, err)
		}
		f.done++
	}
	return nil
}

func (f *filling) total() int { return f.load.Pods + f.load.Count }

func (f *filling) report() {
	if f.load.Progress != nil {
		f.load.Progress(f.done, f.total())
	}
}
