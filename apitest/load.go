package apitest

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest/internal/load"
)

// Load is what Server.Fill adds: pods, copies of an object, or both. The same load is the same objects on every machine.
type Load struct {
	// Pods is how many pods to add. They are as those of a real cluster are: about 8 KB of JSON each, with environment
	// variables, probes, volumes, managed fields, an owner and the status of a pod that runs. Their nodes and ReplicaSets are
	// names only; their namespaces are made.
	Pods int
	// Namespaces and Nodes are over how many the pods are spread, and Replicas is how many of them a ReplicaSet owns. 0 means
	// one namespace for every 1,000 pods, one node for every 30, and 20 replicas.
	Namespaces, Nodes, Replicas int

	// Object is copied Count times, under names made of its own: the copies of "web" are "web-000000" and so on. It is of any
	// kind that the server serves, and taken as it is.
	Object runtime.Object
	Count  int

	// Seed makes other objects of the same sort. Pods of two loads with the same seed have the same names.
	Seed uint64
	// Progress, if set, is called now and then, and at the end, with how many objects are there and how many there will be.
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
		return errors.New("apitest: Load.Pods and Load.Count are both 0: there is nothing to add")
	}
	return nil
}

// options are those of the pods, with what was left out filled in.
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

// Fill adds objects in large numbers, as Put does: nothing is checked, and what has the same name is replaced. It stops in the
// middle when ctx ends.
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

// filling is a Fill that is under way.
type filling struct {
	server *Server
	ctx    context.Context
	load   *Load
	done   int
}

func (f *filling) put(count int, object func(int) runtime.Object) error {
	const often = 1000 // how often to look up
	for i := range count {
		if f.done%often == 0 {
			if err := f.ctx.Err(); err != nil {
				return fmt.Errorf("apitest: filled in %d objects of %d: %w", f.done, f.total(), err)
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
