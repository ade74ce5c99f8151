package cache

import (
	"fmt"
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
	if t.config.Shared {
		r.decoders = newDecoders(&t.informer.work)
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
		raw := a.raw.Clone()
		r.decoders.do(func() {
			l.obj, l.err = a.decode(raw)
			r.finish(l)
		})
		return nil
	}
	l.obj, l.err = a.load()
	r.finish(l)
	return l.err
}

// finish makes of an object that is decoded what is stored.
func (r *streamRefill) finish(l *letter) {
	s := r.stream.informer
	if l.err == nil {
		l.obj, l.err = s.transformed(l.obj)
	}
	l.restore(s.codec)
	packAway(l.obj)
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

// failed returns what could not be decoded beside the reflector.
func (r *streamRefill) failed() (out []UndecodableError) {
	for _, l := range r.order {
		if r.decoders != nil && l.err != nil && !l.replaced {
			out = append(out, UndecodableError{Key: l.bare, Err: l.err})
		}
	}
	return out
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
