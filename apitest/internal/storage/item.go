package storage

import (
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What a write or a read can fail with.
var (
	// ErrExists: an object of that name is there already.
	ErrExists = errors.New("an object of this name exists")
	// ErrChanged: the item that the write was to replace is not the newest. Read it again.
	ErrChanged = errors.New("the object was changed meanwhile")
	// ErrCompacted: the version asked for is forgotten.
	ErrCompacted = errors.New("the version is compacted")
	// ErrFuture: the version asked for has not been reached.
	ErrFuture = errors.New("the version is in the future")
)

// Item is an object in one version. It and its object never change.
type Item struct {
	// Key is "name" or "namespace/name". The order of lists is the order of keys, which is that of the keys in etcd.
	Key     string
	Version uint64
	// Created is the version in which the object came to be.
	Created uint64
	Object  runtime.Object
}

// Key of an object.
func Key(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// EventType says what a write did.
type EventType uint8

// The three kinds of writes.
const (
	Created EventType = iota
	Updated
	Deleted
)

// Event is one write.
type Event struct {
	Type EventType
	// Item is what is there since, or for Deleted the last state with the version of the deletion.
	Item *Item
	// Prev is what was there before; nil for Created.
	Prev *Item

	frames frames
}

// Version of the write.
func (e *Event) Version() uint64 { return e.Item.Version }

// frames are forms of an event, each made once.
type frames struct {
	mu   sync.Mutex
	made map[any]*frame
}

type frame struct {
	once sync.Once
	data []byte
	err  error
}

// Frame returns the form of the event that key names. The first who asks makes it; the others wait for that and share it.
func (e *Event) Frame(key any, make_ func() ([]byte, error)) (data []byte, fresh bool, err error) {
	e.frames.mu.Lock()
	f := e.frames.made[key]
	if f == nil {
		f = &frame{}
		if e.frames.made == nil {
			e.frames.made = make(map[any]*frame, 1)
		}
		e.frames.made[key] = f
	}
	e.frames.mu.Unlock()
	f.once.Do(func() { f.data, f.err = make_(); fresh = true })
	return f.data, fresh, f.err
}

// DropFrames gives the memory of the forms back.
func (e *Event) DropFrames() {
	e.frames.mu.Lock()
	e.frames.made = nil
	e.frames.mu.Unlock()
}

// Resource is what a collection is of.
type Resource = schema.GroupResource
