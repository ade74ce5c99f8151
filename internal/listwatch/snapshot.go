package listwatch

import (
	"errors"
	"fmt"

	"vedette.dev/internal/object"
	"vedette.dev/rest"
)

// snapshot is a new state for the sink, which is not visible before commit.
type snapshot struct {
	r      *Reflector
	relist Relist
	// seen is what was received, if it is compared with a list.
	seen   digest
	unread *UndecodableError // the last one that could not be decoded
}

// newSnapshot starts a new state. In a stream, objects may change before it is complete.
func (r *Reflector) newSnapshot(stream bool) *snapshot {
	return &snapshot{r: r, relist: r.config.Sink.Relist(stream)}
}

// addRaw adds an object that is not decoded.
func (in *snapshot) addRaw(raw *rest.Raw) {
	m, err := raw.Meta()
	if err != nil {
		in.failed("", err)
		return
	}
	key, _ := raw.Key()
	in.add(&Item{Key: key, Rev: object.Revision{UID: m.UID, Version: m.ResourceVersion}, Raw: raw, from: in.r})
}

// addObject adds an object that is decoded.
func (in *snapshot) addObject(obj any) {
	m, err := in.r.expect(obj)
	if err != nil {
		in.r.Skip(fmt.Errorf("a list with %w", err))
		return
	}
	key, err := in.r.config.Sink.KeyOf(obj)
	if err != nil {
		in.r.Skip(err)
		return
	}
	in.add(&Item{Key: key, Rev: object.Revision{UID: m.GetUID(), Version: m.GetResourceVersion()}, Obj: obj, from: in.r})
}

func (in *snapshot) add(item *Item) {
	if in.seen != nil {
		in.seen[item.Key] = item.Rev.Version
	}
	if err := in.relist.Add(item); err != nil {
		in.failed(item.Key, err)
	}
}

// remove removes an object that was deleted before the state was complete.
func (in *snapshot) remove(key string) {
	delete(in.seen, key)
	in.relist.Remove(key)
}

// failed records an object that exists but cannot be decoded.
func (in *snapshot) failed(key string, err error) {
	var unexpected *UnexpectedError
	if errors.As(err, &unexpected) {
		in.r.Skip(err)
		return
	}
	in.unread = &UndecodableError{Key: key, Err: err}
	in.r.Undecodable(in.unread)
}

// commit replaces the old state with the new one.
func (in *snapshot) commit(version string) error {
	if err := in.relist.Commit(version); err != nil {
		return fmt.Errorf("cannot store the list of %s: %w", in.r.config.Type, err)
	}
	for _, failure := range in.relist.Failed() {
		in.failed(failure.Key, failure.Err)
	}
	in.r.listed(version, in.unread)
	in.r.recheckLater(in.unread != nil)
	return nil
}
