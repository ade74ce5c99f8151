package cache

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	typed "vedette.dev/kubernetes/typed/core/v1"
)

func versioned(name, version string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "1", ResourceVersion: version}}
}

// twoFaced is a server that begins watches with other objects than it lists. It lists in pages of one.
func twoFaced(streamed, listed []*corev1.ConfigMap) *ListWatch {
	return &ListWatch{
		WatchFuncWithContext: func(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w := watch.NewFakeWithChanSize(len(streamed)+1, false)
			if options.SendInitialEvents != nil {
				for _, obj := range streamed {
					w.Add(obj)
				}
				end := versioned("", "10")
				end.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
				w.Action(watch.Bookmark, end)
			}
			return w, nil
		},
		ListWithContextFunc: func(_ context.Context, options metav1.ListOptions) (runtime.Object, error) {
			at := 0
			if options.Continue == "" && (options.ResourceVersion != "10" || options.ResourceVersionMatch != metav1.ResourceVersionMatchExact) {
				return nil, fmt.Errorf("a list with %+v was not expected", options)
			}
			if options.Continue != "" {
				at = int(options.Continue[0] - '0')
			}
			list := &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "10"}}
			if at < len(listed) {
				list.Items = append(list.Items, *listed[at])
			}
			if at+1 < len(listed) {
				list.Continue = fmt.Sprint(at + 1)
			}
			return list, nil
		},
	}
}

// told runs an informer for a while, and returns what it said of inconsistencies.
func told(t *testing.T, lw ListerWatcher) (errs []*InconsistencyError) {
	informer := newStoredInformer(lw, &corev1.ConfigMap{}, SharedIndexInformerOptions{
		OnInconsistency: func(err *InconsistencyError) { errs = append(errs, err) },
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { informer.RunWithContext(ctx); close(done) }()
	time.Sleep(time.Second)
	if !informer.HasSynced() {
		t.Errorf("it has not synced: %+v", StateOf(informer))
	}
	cancel()
	<-done
	return errs
}

// Point 62: the beginning of a watch is compared with a list of the very version.
func TestAnInconsistentServerIsFoundOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		same, other := versioned("same", "1"), versioned("other", "2")
		errs := told(t, twoFaced(
			[]*corev1.ConfigMap{same, other, versioned("ghost", "3")},
			[]*corev1.ConfigMap{same, versioned("other", "4"), versioned("lost", "5")}))
		if len(errs) != 1 {
			t.Fatalf("told %v, want one error", errs)
		}
		e := errs[0]
		if e.Count != 3 || !slices.Equal(e.Missing, []string{"default/lost"}) || !slices.Equal(e.Unlisted, []string{"default/ghost"}) ||
			!slices.Equal(e.Different, []string{"default/other"}) {
			t.Errorf("got %+v", e)
		}
		for _, words := range []string{"3 of *v1.ConfigMap at version 10", "not in the watch: default/lost", "not in the list: default/ghost"} {
			if !strings.Contains(e.Error(), words) {
				t.Errorf("%q does not say %q", e, words)
			}
		}
		if errs := told(t, twoFaced([]*corev1.ConfigMap{same, other}, []*corev1.ConfigMap{other, same})); len(errs) != 0 {
			t.Errorf("told %v of what is the same", errs)
		}
	})
}

func TestAnHonestServerIsNotSuspected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		for i := range 1200 {
			obj := versioned(fmt.Sprint("m", i), "")
			obj.UID = ""
			if _, err := server.Create(t.Context(), obj); err != nil {
				t.Fatal(err)
			}
		}
		client, err := typed.NewForConfig(server.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		lw := NewListWatchFromClient(client.RESTClient(), "configmaps", "", nil)
		if errs := told(t, lw); len(errs) != 0 {
			t.Errorf("told %v", errs)
		}
		// A server that does not list the version any more, or at all, is not to blame for that.
		fault, err := apitest.ParseFault("list configmaps: 410")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := server.Inject(fault); err != nil {
			t.Fatal(err)
		}
		if errs := told(t, lw); len(errs) != 0 {
			t.Errorf("told %v", errs)
		}
	})
}
