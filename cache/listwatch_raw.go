package cache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/codec"
	"vedette.dev/internal/listwatch"
	"vedette.dev/rest"
)

// rawListWatch gives a reflector access to the bytes of lists and watches, by the requests that the functions of a
// ListWatch would send.
type rawListWatch struct {
	requests  tweaked
	newObject func() metav1.Object
	// made is the code of the functions that belong to raw.
	made [4]uintptr
}

// rawOf returns the rawListWatch of a ListerWatcher, or nil.
func rawOf(lw ListerWatcher) *rawListWatch {
	l := plainListWatch(lw)
	// If the program has set a function of its own in the ListWatch, that is called.
	if l == nil || l.raw == nil || l.raw.made != codesOf(l) {
		return nil
	}
	return l.raw
}

// codesOf returns the code of the functions of a ListWatch.
func codesOf(lw *ListWatch) [4]uintptr {
	return [4]uintptr{codeOf(lw.ListFunc), codeOf(lw.WatchFunc), codeOf(lw.ListWithContextFunc), codeOf(lw.WatchFuncWithContext)}
}

// codeOf returns the address of the code of a function. The package uses it to recognise its own functions, where
// client-go's types leave no room for a flag: fields of a ListWatch that a program may replace, and the types IndexFunc
// and TransformFunc. A function that wraps another has other code, and is called like any function of the program.
func codeOf(f any) uintptr { return reflect.ValueOf(f).Pointer() }

// sourceOf returns a ListerWatcher as the source of a reflector.
func sourceOf(lw ListerWatcher) listwatch.Source {
	withContext := ToListerWatcherWithContext(lw)
	s := listwatch.Source{
		List:         withContext.ListWithContext,
		Watch:        withContext.WatchWithContext,
		ContextAware: isContextAware(lw),
		NoWatchList:  !mayWatchList(lw),
		NoChunks:     wantsNoChunks(lw),
	}
	if foreign, ok := lw.(RawListerWatcher); ok {
		s.ListRaw, s.WatchRaw = foreign.ListRaw, foreign.WatchRaw
	} else if raw := rawOf(lw); raw != nil {
		s.ListRequest, s.WatchRequest = raw.requests.ListRequest, raw.requests.WatchRequest
		_, s.AnyForm = raw.requests.Requester.(getter)
		if raw.newObject != nil {
			s.NewObject = func() any { return raw.newObject() }
		}
	}
	return s
}

// isContextAware reports whether calls end when their context ends.
func isContextAware(lw ListerWatcher) bool {
	if l := plainListWatch(lw); l != nil {
		return l.ListWithContextFunc != nil && l.WatchFuncWithContext != nil
	}
	_, ok := lw.(ListerWatcherWithContext)
	return ok
}

func wantsNoChunks(lw ListerWatcher) bool {
	l := plainListWatch(lw)
	return l != nil && l.DisableChunking
}

// plainListWatch returns the ListWatch that a ListerWatcher is, or nil.
func plainListWatch(lw ListerWatcher) *ListWatch {
	if semantics, ok := lw.(*listWatchWithSemantics); ok {
		return semantics.ListWatch
	}
	l, _ := lw.(*ListWatch)
	return l
}

// plainList lets the client decode a list as a whole.
func (d *rawListWatch) plainList(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	return d.requests.ListRequest(options).Do(ctx).Get()
}

// plainWatch lets the client decode the events.
func (d *rawListWatch) plainWatch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return d.requests.WatchRequest(options).Watch(ctx)
}

// streamedList decodes each item separately, for types that the client does not know.
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

// streamedWatch decodes each event separately, for types that the client does not know.
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

// clientWatchDecoding is the cause that a client sets for a decoding error.
const clientWatchDecoding = "ClientWatchDecoding"

func (d *rawListWatch) runtimeObject(raw *rest.Raw) (runtime.Object, error) {
	made := d.newObject()
	obj, ok := made.(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("%T has no DeepCopyObject method: only a reflector can read it", made)
	}
	return obj, codec.Into(raw, obj)
}

// frameDecoder implements watch.Decoder.
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
		return "", nil, fmt.Errorf("unable to decode watch event: %w", err)
	}
	return frame.Type, obj, nil
}

func (f frameDecoder) Close() { _ = f.frames.Close() }
