package sharding

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/bench/harness"
	"vedette.dev/shard"
)

// side is an informer with a handler.
type side interface {
	RunWithContext(ctx context.Context)
	HasSynced() bool
	// handlerSynced reports whether the handler has received all objects of the initial list.
	handlerSynced() bool
	// list returns what the store has.
	list() []*corev1.Pod
}

// plain is the side of Vedette's informer without shards.
const plain = "plain"

// peers builds sides. Those without shards have no use for a source.
var peers = map[string]func(url string, source shard.Source, v *view) (side, error){
	harness.ClientGo: func(url string, _ shard.Source, v *view) (side, error) { return newClientGo(url, v) },
	plain:            func(url string, _ shard.Source, v *view) (side, error) { return newPlain(url, v) },
	harness.Vedette:  newSharded,
}

// namespaceIndex is the only index, which all sides call so.
const namespaceIndex = "namespace"

// protobuf is what all sides ask for.
const protobuf = "application/vnd.kubernetes.protobuf"

// running is a side with a server.
type running struct {
	server *process
	side   side
	view   *view
	stop   context.CancelFunc // nil if it was not started
	ended  chan struct{}
}

// prepare starts a server and builds a side that does not run yet.
func prepare(name string, s spec, source shard.Source) (*running, error) {
	build := peers[name]
	if build == nil {
		return nil, fmt.Errorf("there is no side %q", name)
	}
	p, err := startServer(s)
	if err != nil {
		return nil, err
	}
	r := &running{server: p, view: newView(s.Objects), ended: make(chan struct{})}
	if r.side, err = build(p.URL, source, r.view); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return r, nil
}

// start runs the side until it has synced.
func (r *running) start() error {
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() {
		defer close(r.ended)
		r.side.RunWithContext(ctx)
	}()
	for began := time.Now(); !r.side.HasSynced() || !r.side.handlerSynced(); {
		if time.Since(began) > phaseTimeout {
			return fmt.Errorf("not synced after %v: heard %d calls", phaseTimeout, r.view.calls.Load())
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// end checks the work, unless something is wrong already, and stops all.
func (r *running) end(err error) error {
	if err == nil {
		err = errors.Join(r.check(), r.view.err())
	}
	if r.stop != nil {
		r.stop()
		<-r.ended
	}
	return errors.Join(err, r.server.Stop())
}
