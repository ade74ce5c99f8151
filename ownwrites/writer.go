package ownwrites

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
)

// writer is the part that the clients share: how writes are recorded. A write that succeeded never returns an error
// because it could not be recorded; Stats counts it.
type writer struct {
	t         *Tracker
	namespace string
	// version asks the server for the newest version of the resource.
	version func(ctx context.Context) (string, error)
}

// sending is a write that is about to be sent.
type sending struct {
	at   target
	from origin
}

func (w writer) created(obj any) sending {
	s := sending{from: origin{created: true}, at: target{namespace: w.namespace}}
	if m := metaOf(obj); m != nil {
		s.at.namespace, s.at.name = cmp.Or(w.namespace, m.GetNamespace()), m.GetName()
		if s.at.name == "" {
			s.at.generated = m.GetGenerateName()
		}
	}
	return s
}

func (w writer) updated(obj any) sending {
	s := sending{at: target{namespace: w.namespace}}
	if m := metaOf(obj); m != nil {
		s.at.namespace, s.at.name = cmp.Or(w.namespace, m.GetNamespace()), m.GetName()
		s.from.base = m.GetResourceVersion()
	}
	return s
}

// write sends a write and records the answer.
func write[T any](w writer, s sending, dryRun []string, send func() (T, error)) (T, error) {
	if len(dryRun) > 0 {
		return send()
	}
	flying := w.t.flights.begin(s.at)
	defer w.t.flights.end(flying)
	answer, err := send()
	if err != nil {
		return answer, err
	}
	if obj, ok := any(answer).(runtime.Object); ok {
		_ = w.t.record(obj, s.from) // counted and logged
	}
	return answer, nil
}

// delete sends a deletion and records it.
func (w writer) delete(ctx context.Context, name string, opts metav1.DeleteOptions, send func() (runtime.Object, error)) error {
	if len(opts.DryRun) > 0 {
		_, err := send()
		return err
	}
	flying := w.t.flights.begin(target{namespace: w.namespace, name: name})
	defer w.t.flights.end(flying)
	d := Deletion{Namespace: w.namespace, Name: name, sent: w.t.entries.Load()}
	d.before = w.t.held(w.t.ident(cache.ObjectName{Namespace: w.namespace, Name: name}).String()).uid
	answer, err := send()
	if err != nil {
		return err
	}
	status, ok := answer.(*metav1.Status)
	switch {
	case answer == nil:
		return w.silently(nil, name)
	case !ok:
		w.returned(answer, opts)
	case status.Details == nil:
		return w.silently(nil, name)
	default:
		d.UID = status.Details.UID
		w.gone(ctx, d, flying)
	}
	return nil
}

// returned records the object in the server's answer to a deletion. It still exists, if it has finalizers or a grace
// period; or it is deleted, and this was its last state.
func (w writer) returned(answer runtime.Object, opts metav1.DeleteOptions) {
	m := metaOf(answer)
	if m == nil || m.GetDeletionTimestamp() != nil {
		var from origin
		if p := opts.Preconditions; p != nil && p.ResourceVersion != nil {
			from.base = *p.ResourceVersion
		}
		_ = w.t.record(answer, from)
		return
	}
	_ = w.t.Deleted(Deletion{Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUID(), Version: m.GetResourceVersion()})
}

// gone records that an object is deleted. If no version of it is known, the server is asked for one from after the
// deletion.
func (w writer) gone(ctx context.Context, d Deletion, flying *flight) {
	d.Version = w.t.flights.observed(flying, d.UID)
	if !isUnbounded(w.t.delete(d)) {
		return
	}
	if after, err := w.version(ctx); err == nil && numeric(after) != 0 {
		d.After = after
		_ = w.t.delete(d)
		return
	}
	// The entry is kept until that version is known, unless an event of the object arrives.
	d.Version = w.t.flights.observed(flying, d.UID)
	until := time.Now().Add(giveUp)
	if w.t.recorded(w.t.addTombstone(d, until)) == nil {
		w.t.askLater(deletion{w.t.ident(cache.ObjectName{Namespace: d.Namespace, Name: d.Name}), d.UID}, w.version)
	}
}

// silently counts a deletion whose answer is unknown.
func (w writer) silently(err error, name string) error {
	if err == nil {
		_ = w.t.recorded(fmt.Errorf("ownwrites: the server's answer to the deletion of %s has no UID",
			cache.ObjectName{Namespace: w.namespace, Name: name}))
	}
	return err
}

// listVersion returns the resource version of a list.
func listVersion(list any, err error) (string, error) {
	if err != nil {
		return "", err
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return "", err
	}
	if m.GetResourceVersion() == "" {
		return "", errNoVersion
	}
	return m.GetResourceVersion(), nil
}
