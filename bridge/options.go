package bridge

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
)

// Options configures informers. The zero value works, and behaves as client-go does.
type Options struct {
	// Storage says how objects are kept, of all kinds that StorageFor does not name. As it serves many kinds, fields that a kind does not
	// have are ignored, and Keep can name metadata only.
	Storage cache.Storage
	// StorageFor says how objects of one kind are kept. A key is an object of the kind: &corev1.Pod{}, or an unstructured object or
	// metadata with apiVersion and kind.
	StorageFor map[runtime.Object]cache.Storage
	// Handlers says how handlers are treated that are slow, or panic.
	Handlers HandlerPolicy
	// Logger receives what informers have to say. Nil means the logger in the context of Run.
	Logger *slog.Logger
	// Metrics exports the informers, each until it has stopped. A *metrics.Metrics of vedette.dev/metrics is one, for a Prometheus
	// registerer. Nil means that nothing is exported.
	Metrics Metrics
	// MetricsSource is the label source of the metrics, such as the name of a cluster. It may be empty.
	MetricsSource string
}

// Metrics exports informers. It is implemented by *metrics.Metrics of vedette.dev/metrics.
type Metrics interface {
	// AddInformer exports an informer until it has stopped, or remove is called.
	AddInformer(source, name string, informer cache.SharedInformer) (remove func(), err error)
}

// HandlerPolicy says how handlers are treated that are slow, or panic.
type HandlerPolicy int

const (
	// LikeClientGo: a panic ends the process, and a slow handler is called for every change, however much memory waiting changes take.
	LikeClientGo HandlerPolicy = iota
	// LikeVedette: a panic is logged and counted, and the next notification follows. Changes of an object that wait for a slow handler
	// are coalesced when there are more than 2048, and the handler is behind by more than 100 ms.
	LikeVedette
)

// Validate returns an error that names the field that is wrong.
func (o Options) Validate() error {
	for _, path := range o.Storage.Keep {
		if path != "metadata" && !strings.HasPrefix(path, "metadata.") {
			return fmt.Errorf("bridge: Options.Storage.Keep has %q, which not every kind has; use StorageFor", path)
		}
	}
	if err := o.Storage.Fit(metadataType).Validate(metadataType); err != nil {
		return fmt.Errorf("bridge: Options.Storage: %w", err)
	}
	if len(o.Storage.Keep) > 0 && len(o.Storage.Drop) > 0 {
		return errors.New("bridge: Options.Storage has Keep and Drop; what is not kept is dropped anyway")
	}
	for obj, storage := range o.StorageFor {
		if err := storage.Validate(reflect.TypeOf(obj)); err != nil {
			return fmt.Errorf("bridge: Options.StorageFor[%T]: %w", obj, err)
		}
	}
	if o.Handlers != LikeClientGo && o.Handlers != LikeVedette {
		return fmt.Errorf("bridge: Options.Handlers is %d, which is not a HandlerPolicy", o.Handlers)
	}
	return nil
}

var metadataType = reflect.TypeFor[*metav1.PartialObjectMetadata]()

// storage returns the storage for objects such as obj.
func (o *Options) storage(obj runtime.Object) cache.Storage {
	for example, storage := range o.StorageFor {
		if reflect.TypeOf(example) == reflect.TypeOf(obj) && sameKind(example, obj) {
			return storage
		}
	}
	if obj == nil {
		return cache.Storage{}
	}
	return o.Storage.Fit(reflect.TypeOf(obj))
}

// sameKind reports whether two objects of a Go type are of one kind. Only types that serve for many kinds say which.
func sameKind(a, b runtime.Object) bool {
	switch a.(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata:
		return a.GetObjectKind().GroupVersionKind() == b.GetObjectKind().GroupVersionKind()
	}
	return true
}

func (o *Options) handlerOptions() cache.HandlerOptions {
	if o.Handlers == LikeVedette {
		return cache.HandlerOptions{}
	}
	return cache.HandlerOptions{MaxWaiting: -1, OnPanic: cache.PanicFatal}
}

func (o *Options) logger() *logr.Logger {
	if o.Logger == nil {
		return nil
	}
	logger := logr.FromSlogHandler(o.Logger.Handler())
	return &logger
}
