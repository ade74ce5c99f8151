package cache

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// Getter creates GET requests. Every rest.Interface does.
type Getter interface {
	Get() *rest.Request
}

// Requester creates the requests of a list and a watch without sending them. The typed, dynamic and metadata clients
// for one resource do.
type Requester interface {
	ListRequest(opts metav1.ListOptions) *rest.Request
	WatchRequest(opts metav1.ListOptions) *rest.Request
}

// NewListWatchFromClient returns a [ListWatch] for a resource in one namespace, or in all of them if it is empty. The
// fields select the objects; nil means all.
func NewListWatchFromClient(c Getter, resource string, namespace string, fieldSelector fields.Selector) *ListWatch {
	return NewFilteredListWatchFromClient(c, resource, namespace, func(options *metav1.ListOptions) {
		if fieldSelector != nil {
			options.FieldSelector = fieldSelector.String()
		}
	})
}

// NewFilteredListWatchFromClient is like [NewListWatchFromClient], with a function that modifies the options of each
// request.
func NewFilteredListWatchFromClient(c Getter, resource string, namespace string, optionsModifier func(options *metav1.ListOptions)) *ListWatch {
	return newListWatch(getter{c, resource, namespace}, nil, optionsModifier)
}

// NewListWatchFromRequester returns a [ListWatch] for the resource of the client r. A reflector then reads lists and
// watches as streams, and decodes each object separately, and only if it has changed.
//
// newObject returns a new object to decode into, such as a *corev1.Pod. Nil means the type that the reflector expects,
// or that the client knows. tweak may modify the options of each request, and may be nil.
func NewListWatchFromRequester(r Requester, newObject func() metav1.Object, tweak func(options *metav1.ListOptions)) *ListWatch {
	return newListWatch(r, newObject, tweak)
}

func newListWatch(r Requester, newObject func() metav1.Object, tweak func(*metav1.ListOptions)) *ListWatch {
	d := &rawListWatch{requests: tweaked{r, tweak}, newObject: newObject}
	list, watching := d.plainList, d.plainWatch
	if newObject != nil {
		list, watching = d.streamedList, d.streamedWatch
	}
	lw := &ListWatch{
		ListWithContextFunc:  list,
		WatchFuncWithContext: watching,
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			return list(context.Background(), options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return watching(context.Background(), options)
		},
	}
	d.made = codesOf(lw)
	lw.raw = d
	return lw
}

// getter is a Requester based on a Getter.
type getter struct {
	client              Getter
	resource, namespace string
}

func (g getter) ListRequest(opts metav1.ListOptions) *rest.Request {
	return g.client.Get().Namespace(g.namespace).Resource(g.resource).VersionedParams(&opts, metav1.ParameterCodec)
}

func (g getter) WatchRequest(opts metav1.ListOptions) *rest.Request {
	opts.Watch = true
	return g.ListRequest(opts)
}

// tweaked is a Requester whose options are modified.
type tweaked struct {
	Requester
	tweak func(*metav1.ListOptions)
}

func (t tweaked) ListRequest(opts metav1.ListOptions) *rest.Request {
	if t.tweak != nil {
		t.tweak(&opts)
	}
	return t.Requester.ListRequest(opts)
}

func (t tweaked) WatchRequest(opts metav1.ListOptions) *rest.Request {
	if t.tweak != nil {
		t.tweak(&opts)
	}
	return t.Requester.WatchRequest(opts)
}
