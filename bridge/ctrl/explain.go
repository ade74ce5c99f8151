package ctrl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/workqueue"
)

// ExplainString implements console.Controller: it returns where a key is.
func (c shownController[T]) ExplainString(text string) (controller.Explanation, error) {
	if text == "" {
		return controller.Explanation{}, errors.New("the key is empty: it must be one such as default/name")
	}
	text = strings.TrimPrefix(text, "/") // a reconcile.Request without a namespace is written so
	e := controller.Explanation{Controller: c.name, Key: text, Sources: c.sources(text)}
	f := findings{state: c.State(), sources: e.Sources}
	if key, ok := c.key(text); ok {
		f.item = c.item(key)
		e.History, f.last, e.LastError = c.tracker.history(key)
		for _, r := range e.History {
			f.lastEnd = r
		}
	}
	e.Failures = f.item.Retries
	f.explain(&e)
	return e, nil
}

// key returns the key that is written so. Of types that cannot be read, only keys that the queue has, or has had, are known.
func (c shownController[T]) key(text string) (key T, ok bool) {
	namespace, name, found := strings.Cut(text, "/")
	if !found {
		namespace, name = "", text
	}
	switch k := any(&key).(type) {
	case *reconcile.Request:
		k.Namespace, k.Name = namespace, name
		return key, true
	case *types.NamespacedName:
		k.Namespace, k.Name = namespace, name
		return key, true
	case *string:
		*k = text
		return key, true
	}
	is := func(key T) bool { return strings.TrimPrefix(fmt.Sprint(key), "/") == text }
	snapshot := c.queue.(workqueue.TypedInspector[T]).Snapshot(0)
	for _, item := range slices.Concat(snapshot.Processing, snapshot.Queued, snapshot.Waiting) {
		if is(item.Key) {
			return item.Key, true
		}
	}
	return c.tracker.find(is)
}

// item returns what the queue knows of a key, without the key.
func (c shownController[T]) item(key T) workqueue.Item[struct{}] {
	item, _ := c.queue.(workqueue.TypedInspector[T]).Find(key)
	return workqueue.Item[struct{}]{
		QueuedSince: item.QueuedSince, ProcessingSince: item.ProcessingSince, Due: item.Due, Retries: item.Retries, Priority: item.Priority,
	}
}

// sources returns what the informers that feed the controller know of a key. Of several informers of a kind, which are for different
// namespaces, it returns those that have the object or fail, or the first.
func (c shownController[T]) sources(key string) []controller.SourceExplanation {
	var out []controller.SourceExplanation
	first := map[string]int{}
	for _, f := range c.feeds() {
		s := f.explain(key)
		at, again := first[s.Source]
		switch {
		case !again:
			first[s.Source] = len(out)
			out = append(out, s)
		case s.Cached == "" || s.Cached == absent:
			if s.Error != "" || !s.Ready {
				out = append(out, s)
			}
		case out[at].Cached == absent && out[at].Error == "" && out[at].Ready:
			out[at] = s
		default:
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b controller.SourceExplanation) int { return cmp.Compare(a.Source, b.Source) })
	return out
}

// absent is SourceExplanation.Cached of an object that is not in the store.
const absent = "-"

// explain returns what an informer knows of a key.
func (f feed) explain(key string) controller.SourceExplanation {
	state := cache.StateOf(f.engine)
	s := controller.SourceExplanation{Source: "watches " + f.kind, Ready: state.Synced, LastEvent: state.LastEvent}
	if f.same {
		s.Source, s.Cached = "for "+f.kind, absent
	}
	if err := state.Err(); err != nil {
		s.Error = err.Error()
	}
	for _, h := range state.Handlers {
		s.Waiting = max(s.Waiting, h.Waiting)
	}
	if obj, ok, err := f.engine.GetStore().GetByKey(key); err == nil && ok {
		s.Cached = "?"
		if m, err := meta.Accessor(obj); err == nil {
			s.Cached = cmp.Or(m.GetResourceVersion(), s.Cached)
		}
	}
	return s
}
