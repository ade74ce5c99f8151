package cache

import (
	"errors"
	"fmt"

	"vedette.dev/rest"
)

// intake is a new state on its way into the store, which sees nothing of it before commit.
type snapshot struct {
	r *Reflector
	// relist takes the objects one by one, if the store has that. If not, list is what Replace will be given, and places, in a stream,
	// where each key is in it.
	relist storeRelist
	list   []any
	places map[string]int
	change TransformFunc // of objects that are kept for a while

	// seen is what was brought, if it is to be compared with a list.
	seen   digest
	unread *UndecodableError // the last of those that could not be decoded
}

// newSnapshot begins a new state. In a stream, objects may change before all of them are there.
func (r *Reflector) newSnapshot(stream bool) *snapshot {
	in := &snapshot{r: r}
	if r.relists != nil {
		in.relist = r.relists.relist()
	}
	if in.relist != nil || !stream {
		return in
	}
	in.places = map[string]int{}
	if t, ok := r.store.(TransformingStore); ok {
		in.change = t.Transformer()
	}
	return in
}

// addRaw takes an object that is not decoded.
func (in *snapshot) addRaw(raw *rest.Raw) {
	m, err := raw.Meta()
	if err != nil {
		in.cannotRead("", err)
		return
	}
	key, _ := raw.Key()
	in.addFrame(key, revision{m.UID, m.ResourceVersion}, raw)
}

func (in *snapshot) addFrame(key string, rev revision, raw *rest.Raw) {
	decode := func(raw *rest.Raw) (any, error) { return in.r.decode(key, raw) }
	in.add(&listItem{
		key: key, rev: rev, raw: raw, decode: decode,
		load:  func() (any, error) { return decode(raw) },
		holds: func(stored any) bool { return in.r.codec != nil && in.r.codec.holds(raw, stored) },
	})
}

// addObject takes an object that is decoded.
func (in *snapshot) addObject(obj any) {
	m, err := in.r.admit(obj)
	if err != nil {
		in.r.skip(fmt.Errorf("a list with %w", err))
		return
	}
	key, err := in.r.keyOf(obj)
	if err != nil {
		in.r.skip(err)
		return
	}
	in.add(&listItem{
		key: key, rev: revision{m.GetUID(), m.GetResourceVersion()},
		obj: obj, load: func() (any, error) { return in.r.admitted(obj) },
	})
}

// keyOf asks the store, if it can be asked.
func (r *Reflector) keyOf(obj any) (string, error) {
	if k, ok := r.store.(interface{ KeyOf(any) (string, error) }); ok {
		return k.KeyOf(obj)
	}
	return MetaNamespaceKeyFunc(obj)
}

func (in *snapshot) add(a *listItem) {
	if in.seen != nil {
		in.seen[a.key] = a.rev.version
	}
	if in.relist != nil {
		if err := in.relist.add(a); err != nil {
			in.cannotRead(a.key, err)
		}
		return
	}
	obj, err := a.load()
	if err == nil && in.change != nil {
		obj, err = in.change(obj)
	}
	if err != nil {
		in.cannotRead(a.key, err)
		if obj = in.r.known(a.key); obj == nil {
			return
		}
	}
	in.put(a.key, obj)
}

func (in *snapshot) put(key string, obj any) {
	if in.places == nil {
		in.list = append(in.list, obj)
		return
	}
	if at, ok := in.places[key]; ok {
		in.list[at] = obj
		return
	}
	in.places[key] = len(in.list)
	in.list = append(in.list, obj)
}

// known is what the store has under a key, if it can be asked.
func (r *Reflector) known(key string) any {
	_, queue := r.store.(Queue) // which would return what is queued
	getter, ok := r.store.(KeyGetter)
	if !ok || queue {
		return nil
	}
	obj, _, err := getter.GetByKey(key)
	if err != nil {
		return nil
	}
	return obj
}

// remove takes out an object that was deleted before the state was complete.
func (in *snapshot) remove(key string) {
	delete(in.seen, key)
	if in.relist == nil {
		in.take(key)
		return
	}
	in.relist.remove(key)
}

func (in *snapshot) take(key string) {
	at, ok := in.places[key]
	if !ok {
		return
	}
	delete(in.places, key)
	in.list[at] = nil // commit leaves it out
}

// cannotRead notes an object that is there and that nobody can read.
func (in *snapshot) cannotRead(key string, err error) {
	var unexpected *unexpectedError
	if errors.As(err, &unexpected) {
		in.r.skip(err)
		return
	}
	in.unread = &UndecodableError{Key: key, Err: err}
	in.r.cannotRead(in.unread)
}

// commit puts the new state in the place of the old.
func (in *snapshot) commit(version string) error {
	if err := in.give(version); err != nil {
		return fmt.Errorf("the store does not take the new state of %s: %w", in.r.typeDescription, err)
	}
	if in.relist != nil {
		for _, failure := range in.relist.failed() {
			in.cannotRead(failure.Key, failure.Err)
		}
	}
	in.r.listed(version, in.unread)
	in.r.recheckLater(in.unread != nil)
	return nil
}

func (in *snapshot) give(version string) error {
	if in.relist != nil {
		return in.relist.commit(version)
	}
	list := in.list[:0]
	for _, obj := range in.list {
		if obj != nil {
			list = append(list, obj)
		}
	}
	return in.r.store.Replace(list, version)
}
