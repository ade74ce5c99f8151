package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/bench/harness"
)

// workers is how many each side has.
const workers = 8

// namespaceIndex is the only index, which all sides have.
const namespaceIndex = "namespace"

// side is an informer with a controller behind it.
type side interface {
	// run runs both until the context ends, and returns when nothing of them runs any more.
	run(ctx context.Context) error
}

// The sides beside client-go and vedette.
const (
	controllerRuntime = "controller-runtime"
	recordsOff        = "records-off"
	recordsOn         = "records-on"
)

// peers builds sides whose workers are a crew.
var peers = map[string]func(*server, *crew) (side, error){
	harness.ClientGo:  newClientGo,
	controllerRuntime: newFramework,
	harness.Vedette:   withRecords(0),
	recordsOff:        withRecords(-1),
	recordsOn:         withRecords(0),
}

// phaseTimeout is how long a phase may take. If it takes longer, a key was lost.
const phaseTimeout = time.Minute

// running is a side with a server of its own.
type running struct {
	*crew
	side         side
	server       *server
	phases       []*phase // all phases so far
	phaseTimeout time.Duration

	changes chan<- watch.Event
	stop    context.CancelFunc
	ended   chan struct{}
	err     error // of the side, there when it has ended
}

// prepare builds a side that does not run yet.
func prepare(name string, objects []*object, c *crew) (*running, error) {
	build := peers[name]
	if build == nil {
		return nil, fmt.Errorf("there is no side %q", name)
	}
	r := &running{crew: c, server: newServer(objects), phaseTimeout: phaseTimeout, ended: make(chan struct{})}
	var err error
	r.side, err = build(r.server, c)
	return r, err
}

// start runs the side until each object has been reconciled.
func (r *running) start(first *phase) error {
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	r.begin(first)
	go func() {
		defer close(r.ended)
		if r.err = r.side.run(ctx); r.err != nil {
			r.now.Load().end(r.err)
		}
	}()
	return first.wait(r.phaseTimeout)
}

// begin has what happens from now on belong to a phase. The side must be quiet.
func (r *running) begin(p *phase) {
	r.phases = append(r.phases, p)
	r.now.Store(p)
}

// open waits for the watch, on which changes are sent.
func (r *running) open() error {
	select {
	case r.changes = <-r.server.watches:
		return nil
	case <-time.After(r.phaseTimeout):
		return fmt.Errorf("there is no watch after %v", r.phaseTimeout)
	}
}

// send sends changes as fast as they are taken, and returns when their phase is done.
func (r *running) send(round []object, p *phase) error { return r.sendPaced(round, p, 0) }

// sendPaced sends so many in a second; 0 is as fast as they are taken.
func (r *running) sendPaced(round []object, p *phase, rate int) error {
	r.begin(p)
	began := time.Now()
	for i := range round {
		if rate > 0 {
			await(began, time.Duration(i)*time.Second/time.Duration(rate))
		}
		select {
		case r.changes <- round[i].event():
		case <-p.done: // that is an error: not all were sent
			return p.wait(r.phaseTimeout)
		}
	}
	return p.wait(r.phaseTimeout)
}

func (o *object) event() watch.Event { return watch.Event{Type: watch.Modified, Object: o} }

// end stops the side, and returns the errors of all phases.
func (r *running) end() error {
	r.stop()
	<-r.ended
	errs := []error{r.err}
	for i, p := range r.phases {
		if err := p.check(); err != nil {
			errs = append(errs, fmt.Errorf("phase %d: %w", i, err))
		}
	}
	return errors.Join(errs...)
}
