package bridge

import (
	"context"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgocache "k8s.io/client-go/tools/cache"
)

// kind is how a clientset that client-gen has written lists the objects of a Go type: clientset.CoreV1().Pods(namespace).List.
type kind struct {
	object reflect.Type // a pointer
	// group is the method of the clientset, resource that of the group, and list that of the resource.
	group, resource, list reflect.Method
	namespaced            bool
}

var (
	contextType = reflect.TypeFor[context.Context]()
	optionsType = reflect.TypeFor[metav1.ListOptions]()
	errorType   = reflect.TypeFor[error]()
	stringType  = reflect.TypeFor[string]()
	objectType  = reflect.TypeFor[runtime.Object]()
	watcherType = reflect.TypeFor[watcher]()
)

// watcher is what the client of a resource can do besides.
type watcher interface {
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
}

// kindsOf returns what a type of clientsets, which is an interface, can list, by the types of the objects.
func kindsOf(clientset reflect.Type) map[reflect.Type]kind {
	out := map[reflect.Type]kind{}
	if clientset.Kind() != reflect.Interface {
		return out
	}
	for group := range clientset.Methods() {
		if group.Type.NumIn() != 0 || group.Type.NumOut() != 1 || group.Type.Out(0).Kind() != reflect.Interface {
			continue
		}
		for resource := range group.Type.Out(0).Methods() {
			if k, ok := kindOf(resource); ok {
				k.group = group
				out[k.object] = k
			}
		}
	}
	return out
}

// kindOf returns what a method of a group is for.
func kindOf(resource reflect.Method) (k kind, ok bool) {
	t := resource.Type
	k.resource = resource
	k.namespaced = t.NumIn() == 1 && t.In(0) == stringType
	if t.NumIn() != 0 && !k.namespaced || t.NumOut() != 1 || t.Out(0).Kind() != reflect.Interface || !t.Out(0).Implements(watcherType) {
		return k, false
	}
	if k.list, ok = t.Out(0).MethodByName("List"); !ok {
		return k, false
	}
	list := k.list.Type
	if list.NumIn() != 2 || list.In(0) != contextType || list.In(1) != optionsType || list.NumOut() != 2 || list.Out(1) != errorType {
		return k, false
	}
	if list.Out(0).Kind() != reflect.Pointer || list.Out(0).Elem().Kind() != reflect.Struct || !list.Out(0).Implements(objectType) {
		return k, false
	}
	items, ok := list.Out(0).Elem().FieldByName("Items")
	if !ok || items.Type.Kind() != reflect.Slice {
		return k, false
	}
	if k.object = items.Type.Elem(); k.object.Kind() != reflect.Pointer {
		k.object = reflect.PointerTo(k.object)
	}
	return k, true
}

// listWatch returns the ListerWatcher that informer-gen writes for the kind.
func (k kind) listWatch(clientset any, namespace string, tweak func(*metav1.ListOptions)) clientgocache.ListerWatcher {
	var args []reflect.Value
	if k.namespaced {
		args = []reflect.Value{reflect.ValueOf(namespace)}
	}
	group := reflect.ValueOf(clientset).MethodByName(k.group.Name).Call(nil)[0]
	resource := group.MethodByName(k.resource.Name).Call(args)[0]
	list, watcher := resource.MethodByName(k.list.Name), resource.Interface().(watcher)
	if tweak == nil {
		tweak = func(*metav1.ListOptions) {}
	}
	return clientgocache.ToListWatcherWithWatchListSemantics(&clientgocache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			tweak(&options)
			out := list.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(options)})
			err, _ := out[1].Interface().(error)
			if out[0].IsNil() {
				return nil, err
			}
			return out[0].Interface().(runtime.Object), err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			tweak(&options)
			return watcher.Watch(ctx, options)
		},
	}, clientset)
}
