package fakes

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/internal/tracker"
	"vedette.dev/testing"
)

// Server is the last reactor in the chain of a fake client. A Transport sends the request to its server; Invokes uses
// the tracker.
type Server struct{ testing.Reactor }

// ServerWatch is the last reactor for watches.
type ServerWatch struct{ testing.WatchReactor }

// Serve starts a server for a fake client, with objects, and appends it to the chains.
func Serve(fake *testing.Fake, config apitest.Config, forms tracker.Forms, objects []runtime.Object) *tracker.Tracker {
	t := tracker.New(config, forms)
	for i, obj := range objects {
		if err := t.Add(obj); err != nil {
			panic(fmt.Sprintf("fake: object %d, a %T: %v", i, obj, err))
		}
	}
	fake.ReactionChain = []testing.Reactor{&Server{&testing.SimpleReactor{
		Verb: "*", Resource: "*", Reaction: testing.ObjectReaction(t)}}}
	fake.WatchReactionChain = []testing.WatchReactor{&ServerWatch{&testing.SimpleWatchReactor{
		Resource: "*", Reaction: watchReaction(t)}}}
	return t
}

func watchReaction(t *tracker.Tracker) testing.WatchReactionFunc {
	return func(action testing.Action) (bool, watch.Interface, error) {
		var opts metav1.ListOptions
		if a, ok := action.(testing.WatchActionImpl); ok {
			opts = a.ListOptions
		}
		w, err := t.Watch(action.GetResource(), action.GetNamespace(), opts)
		return true, w, err
	}
}
