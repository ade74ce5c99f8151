package cache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// raw is how a reflector gets at the bytes of lists and watches: through the requests that the functions of a ListWatch
// would send.
type rawListWatch struct {
	requests  tweaked
	newObject func() metav1.Object
	// made is the code of the functions that go with the raw.
	made [4]uintptr
}

// rawOf returns the raw of a ListerWatcher, or nil.
func rawOf(lw ListerWatcher) *rawListWatch {
	if semantics, ok := lw.(*listWatchWithSemantics); ok {
		lw = semantics.ListWatch
	}
	l, ok := lw.(*ListWatch)
	// One who has put a function of his own into the ListWatch wants it to be called.
	if !ok || l == nil || l.raw == nil || l.raw.made != codeOf(l) {
		return nil
	}
	return l.raw
}

// codeOf tells the functions of a ListWatch from others.
func codeOf(lw *ListWatch) [4]uintptr {
	return [4]uintptr{
		reflect.ValueOf(lw.ListFunc).Pointer(),
		reflect.ValueOf(lw.WatchFunc).Pointer(),
		reflect.ValueOf(lw.ListWithContextFunc).Pointer(),
		reflect.ValueOf(lw.WatchFuncWithContext).Pointer(),
	}
}

// listRequest is a request whose answer can be read into newObject of the reflector, and that is sent once.
func (r *Reflector) listRequest(options metav1.ListOptions) *rest.Request {
	return r.prepare(r.raw.requests.ListRequest(options))
}

func (r *Reflector) watchRequest(options metav1.ListOptions) *rest.Request {
	return r.prepare(r.raw.requests.WatchRequest(options))
}

// prepare leaves it to the reflector to wait and try again: then everyone can see it.
func (r *Reflector) prepare(request *rest.Request) *rest.Request {
	if r.onlyJSON {
		request.SetHeader("Accept", runtime.ContentTypeJSON)
	}
	return request.MaxRetries(0)
}

// plainList has the client decode a list as a whole.
func (d *rawListWatch) plainList(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return d.requests.ListRequest(options).Do(ctx).Get()
}

// plainWatch has the client decode the events.
func (d *rawListWatch) plainWatch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return d.requests.WatchRequest(options).Watch(ctx)
}

// streamedList decodes each item by itself, for types that the client does not know.
func (d *rawListWatch) streamedList(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	items, err := d.requests.ListRequest(options).Items(ctx)
	if errors.Is(err, rest.ErrNoStream) {
		return d.plainList(ctx, options)
	}
	if err != nil {
		return nil, err
	}
	defer items.Close()
	list := &metav1.List{}
	for raw, err := range items.All() {
		if err != nil {
			return nil, err
		}
		obj, err := d.runtimeObject(raw)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, runtime.RawExtension{Object: obj})
	}
	list.ListMeta, err = items.ListMeta()
	return list, err
}

// streamedWatch decodes each event by itself, for types that the client does not know.
func (d *rawListWatch) streamedWatch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	frames, err := d.requests.WatchRequest(options).Frames(ctx)
	if errors.Is(err, rest.ErrNoStream) {
		return d.plainWatch(ctx, options)
	}
	if err != nil {
		return nil, err
	}
	reporter := apierrors.NewClientErrorReporter(http.StatusInternalServerError, http.MethodGet, clientWatchDecoding)
	return watch.NewStreamWatcher(frameDecoder{frames, d}, reporter), nil
}

// clientWatchDecoding is how a client says that the fault is on its side.
const clientWatchDecoding = "ClientWatchDecoding"

func (d *rawListWatch) runtimeObject(raw *rest.Raw) (runtime.Object, error) {
	made := d.newObject()
	obj, ok := made.(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("%T is not an API type, as it has no DeepCopyObject: only a reflector can read it", made)
	}
	return obj, readInto(raw, obj)
}

// readInto decodes an object. As with every typed client, what it is is said by its Go type, and by apiVersion and kind
// only where the type serves for many kinds.
func readInto(raw *rest.Raw, obj any) error {
	if err := raw.Into(obj); err != nil {
		return err
	}
	switch o := obj.(type) {
	case *unstructured.Unstructured:
	case *metav1.PartialObjectMetadata:
		if o.Kind == "" {
			o.APIVersion, o.Kind = raw.APIVersion, raw.Kind
		}
	case interface{ GetObjectKind() schema.ObjectKind }:
		o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return nil
}

// frameDecoder is a watch.Decoder.
type frameDecoder struct {
	frames *rest.Frames
	raw    *rawListWatch
}

func (f frameDecoder) Decode() (watch.EventType, runtime.Object, error) {
	frame, err := f.frames.Next()
	if err != nil {
		return "", nil, err
	}
	if frame.Type == watch.Error {
		status := &metav1.Status{}
		return frame.Type, status, frame.Object.Into(status)
	}
	obj, err := f.raw.runtimeObject(&frame.Object)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", cannotDecode, err)
	}
	return frame.Type, obj, nil
}

func (f frameDecoder) Close() { _ = f.frames.Close() }
