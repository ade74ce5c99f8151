package cache

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// streamRefill is a new state of all that a stream covers. What the informer has in the same state is not decoded, and the
// rest of a shared stream is decoded by several at once.
type streamRefill struct {
	stream *Stream
	// listed is every object that is there: its letter, or nil if what is known stays.
	listed map[string]*letter
	order  []*letter // those that are new, in the order in which they came

	decoders *decoders // nil if the reflector decodes by itself
}

func newStreamRefill(t *Stream) *streamRefill {
	r := &streamRefill{stream: t, listed: map[string]*letter{}}
	if n := runtime.GOMAXPROCS(0); t.config.Shared && n > 1 {
		r.decoders = &decoders{stream: t, slots: make(chan struct{}, n)}
	}
	return r
}

func (r *streamRefill) add(a *arrival) error {
	t := r.stream
	env := envelopeOf(a.key, a.id, a.raw, a.obj)
	if t.stranger(&env) {
		return nil
	}
	routes := t.informer.routes.Load()
	to := routes.find(t, &env)
	if to == nil {
		return nil // if it is known, it will be missing
	}
	key := t.config.Prefix + a.key
	l := &letter{key: key, bare: a.key, what: watch.Added, id: a.id, stream: t, at: time.Now(), obj: a.obj, to: to, by: routes}
	if stored, have, home, ok := t.informer.known(key); ok && have.same(a.id) && home == to.config.ID {
		if a.isHeld(stored) {
			r.listed[key] = nil
			return nil
		}
		l.stored = stored
	}
	r.put(l)
	if a.raw != nil {
		l.size = int64(len(a.raw.Bytes))
	}
	if r.decoders != nil && a.raw != nil {
		l.raw = a.raw.Clone()
		r.decoders.decode(l)
		return nil
	}
	if l.obj, l.err = a.load(); l.err == nil {
		l.obj, l.err = t.informer.transformed(l.obj)
	}
	l.restore(t.informer.codec)
	packAway(l.obj)
	return l.err
}

// restore has a letter bring what is stored, if nothing has written to it.
func (l *letter) restore(c *codec) {
	if l.stored != nil && l.err == nil && c.equal(l.stored, l.obj) {
		l.obj = l.stored
	}
}

func (r *streamRefill) put(l *letter) {
	if before := r.listed[l.key]; before != nil {
		before.replaced = true
	}
	r.listed[l.key] = l
	r.order = append(r.order, l)
}

func (r *streamRefill) remove(key string) {
	key = r.stream.config.Prefix + key
	if before := r.listed[key]; before != nil {
		before.replaced = true
	}
	delete(r.listed, key)
}

// unread is the last object that could not be decoded.
func (r *streamRefill) unread() (last *UndecodableError) {
	if r.decoders == nil {
		return nil // the reflector was told
	}
	for _, l := range r.order {
		if l.err != nil && !l.replaced {
			last = &UndecodableError{Key: l.bare, Err: l.err}
			r.stream.reflector.cannotRead(last)
		}
	}
	return last
}

func (r *streamRefill) commit(version string) error {
	t, s := r.stream, r.stream.informer
	if r.decoders != nil {
		r.decoders.wait()
	}
	if order, known := compareVersions(version, fmt.Sprint(t.highest)); known && t.highest > 0 && order < 0 {
		return fmt.Errorf("the list is of version %s, but version %d is known already", version, t.highest)
	}
	t.floors = nil
	s.replace(r, version)
	return nil
}

// decoders decode the objects of a list beside whoever reads them. Each takes a bundle at a time: a goroutine for each object would
// have to grow its stack for each.
type decoders struct {
	stream *Stream
	slots  chan struct{} // has room for as many as may work at the same time
	all    sync.WaitGroup
	bundle []*letter
}

const bundleSize = 128

func (d *decoders) decode(l *letter) {
	d.bundle = append(d.bundle, l)
	if len(d.bundle) == bundleSize {
		d.flush()
	}
}

// flush has what was collected decoded.
func (d *decoders) flush() {
	bundle := d.bundle
	if len(bundle) == 0 {
		return
	}
	d.bundle = make([]*letter, 0, bundleSize)
	d.slots <- struct{}{}
	d.all.Add(1)
	d.stream.informer.work.Go(func() {
		defer func() {
			<-d.slots
			d.all.Done()
		}()
		for _, l := range bundle {
			if l.obj, l.err = d.stream.reflector.decode(l.bare, l.raw); l.err == nil {
				l.obj, l.err = d.stream.informer.transformed(l.obj)
			}
			l.restore(d.stream.informer.codec)
			packAway(l.obj)
			l.raw = nil
		}
	})
}

// wait returns when all is decoded.
func (d *decoders) wait() {
	d.flush()
	d.all.Wait()
}
