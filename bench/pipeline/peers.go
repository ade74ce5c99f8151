package pipeline

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/bench/harness"
	"vedette.dev/cache"
)

// handler is what an informer calls, on either side.
type handler interface {
	OnAdd(obj any, isInInitialList bool)
	OnUpdate(oldObj, newObj any)
	OnDelete(obj any)
}

// informer is what the drivers need of a shared informer.
type informer interface {
	// add adds a handler. If each is set, it receives every change uncoalesced, if the side supports that.
	add(h handler, each bool) (hasSynced, error)
	RunWithContext(ctx context.Context)
	HasSynced() bool
	store() store
}

type hasSynced interface{ HasSynced() bool }

type store interface {
	List() []any
	ListKeys() []string
	ByIndex(indexName, indexedValue string) ([]any, error)
	GetByKey(key string) (item any, exists bool, err error)
}

// namespaceIndex is the only index, which both sides call so.
const namespaceIndex = "namespace"

var peers = map[string]func(*source) informer{
	harness.ClientGo: newClientGo,
	harness.Vedette:  newVedette,
}

// last is the object of a deletion, whose end may not have been seen.
func last(obj any) any {
	switch d := obj.(type) {
	case clientgocache.DeletedFinalStateUnknown:
		return d.Obj
	case cache.DeletedFinalStateUnknown:
		return d.Obj
	}
	return obj
}

// running is an informer on a source.
type running struct {
	informer
	source  *source
	changes chan<- watch.Event // of the present watch
	stop    context.CancelFunc
	ended   chan struct{}
}

// start runs an informer with these handlers until all of them have synced and the watch is open.
func start(side string, s *source, each bool, handlers ...handler) (*running, error) {
	build := peers[side]
	if build == nil {
		return nil, fmt.Errorf("side %q has no informer", side)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &running{informer: build(s), source: s, stop: stop, ended: make(chan struct{})}
	waits := []hasSynced{r}
	for _, h := range handlers {
		registration, err := r.add(h, each)
		if err != nil {
			return nil, err
		}
		waits = append(waits, registration)
	}
	go func() {
		defer close(r.ended)
		r.RunWithContext(ctx)
	}()
	await(waits...)
	r.changes = <-s.watches
	return r, nil
}

// await returns when all have synced.
func await(all ...hasSynced) {
	for _, one := range all {
		for !one.HasSynced() {
			time.Sleep(time.Millisecond)
		}
	}
}

// join adds a handler while the informer runs.
func (r *running) join(h handler) error {
	registration, err := r.add(h, false)
	if err == nil {
		await(registration)
	}
	return err
}

// end stops the informer. When it returns, no handler is called any more.
func (r *running) end() {
	r.stop()
	<-r.ended
}
