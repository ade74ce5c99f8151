package podcache

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/bench/harness"
	"vedette.dev/bench/pods"
	"vedette.dev/bench/pods/podserver"
	"vedette.dev/cache"
)

// Config says which informer is to be made.
type Config struct {
	// Side is harness.ClientGo or harness.Vedette.
	Side string
	// Pods is how many there are.
	Pods     int
	Encoding pods.Encoding
	// Unstructured is for the informers of the dynamic client. They speak JSON.
	Unstructured bool
	// Storage is the storage of Vedette. client-go has only one.
	Storage cache.Storage
	// Keys is for a handler of Vedette that receives keys and loads the object on demand. client-go's receive the object.
	Keys bool
	// Strip has a transform of client-go drop the managed fields. Vedette's Storage can do that.
	Strip bool
	// Bridge is for the informer in a cache of controller-runtime: its own, and with vedette.dev/bridge/ctrl.
	Bridge bool
}

// Store is what the workloads need of an indexer.
type Store interface {
	ListKeys() []string
	GetByKey(key string) (item any, exists bool, err error)
	ByIndex(indexName, indexedValue string) ([]any, error)
}

// Lister is what the workloads need of a typed lister.
type Lister interface {
	Get(namespace, name string) (*corev1.Pod, error)
	List(selector labels.Selector) ([]*corev1.Pod, error)
	// All is for a caller that looks at one pod after the other, and may change each.
	All() iter.Seq2[*corev1.Pod, error]
	// Metadata is for a caller that looks at the metadata of one pod after the other, and may change it.
	Metadata() iter.Seq2[*metav1.ObjectMeta, error]
	// InNamespace returns the pods of a namespace, for a caller that may change them.
	InNamespace(namespace string) ([]corev1.Pod, error)
}

// NamespaceIndex is the only index, which both sides call so.
const NamespaceIndex = "namespace"

// informer is one of either side, with a handler.
type informer interface {
	run(ctx context.Context)
	// synced reports whether the store and the handler have all objects of the initial list.
	synced() bool
	store() Store
	lister() Lister
}

// Running is an informer with its server.
type Running struct {
	Config
	Server *podserver.Process
	View   *View

	informer informer
	stop     context.CancelFunc // nil if it was not started
	ended    chan struct{}
}

// Prepare starts a server, and makes an informer that does not run yet. Memory of the preparation goes back to the system, so
// that what follows cannot use it unseen.
func Prepare(c Config) (*Running, error) {
	server, err := podserver.Start(c.Pods)
	if err != nil {
		return nil, err
	}
	r := &Running{Config: c, Server: server, View: NewView(), ended: make(chan struct{})}
	switch {
	case c.Bridge:
		r.informer, err = newCached(r)
	case c.Side == harness.ClientGo:
		r.informer, err = newClientGo(r)
	case c.Side == harness.Vedette:
		r.informer, err = newVedette(r)
	default:
		err = fmt.Errorf("there is no side %q", c.Side)
	}
	if err != nil {
		return nil, errors.Join(err, server.Stop())
	}
	debug.FreeOSMemory()
	return r, nil
}

// PrepareSynced is Prepare, Start and CheckStart.
func PrepareSynced(c Config) (*Running, error) {
	r, err := Prepare(c)
	if err != nil {
		return nil, err
	}
	if err = r.Start(); err == nil {
		err = r.CheckStart()
	}
	if err != nil {
		return nil, errors.Join(err, r.End())
	}
	return r, nil
}

// Start runs the informer until store and handler have all pods.
func (r *Running) Start() error {
	r.View.Expect(Wanted{States: r.Pods})
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() {
		defer close(r.ended)
		r.informer.run(ctx)
	}()
	for began := time.Now(); !r.informer.synced(); time.Sleep(time.Millisecond) {
		if time.Since(began) > phaseTimeout {
			return fmt.Errorf("not synced after %v: heard %v", phaseTimeout, r.View)
		}
	}
	return r.View.Wait()
}

// CheckStart checks that the handler has heard of each pod as it was in the beginning.
func (r *Running) CheckStart() error {
	w := Wanted{States: r.Pods}
	for i := range r.Pods {
		w.Sum += Weight(i, 0)
	}
	return r.View.Check(w)
}

// Store is what the informer has.
func (r *Running) Store() Store { return r.informer.store() }

// Lister reads it as controllers do. There is one for typed informers only.
func (r *Running) Lister() Lister { return r.informer.lister() }

// End stops all.
func (r *Running) End() error {
	if r.stop != nil {
		r.stop()
		<-r.ended
	}
	return r.Server.Stop()
}
