package storage

import (
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Errors of reads and writes.
var (
	// ErrExists: an object of that name already exists.
	ErrExists = errors.New("object already exists")
	// ErrChanged: the item to replace is not the newest. Read it again.
	ErrChanged = errors.New("object was changed concurrently")
	// ErrCompacted: the version was compacted.
	ErrCompacted = errors.New("version was compacted")
	// ErrFuture: the version has not been reached.
	ErrFuture = errors.New("version is in the future")
)

// Item is an object in one version. It and its object are immutable.
type Item struct {
	// Key is "name" or "namespace/name". The order of lists is the order of keys, which is that of the keys in etcd.
	Key     string
	Version uint64
	// Created is the version in which the object was created.
	Created uint64
	Object  runtime.Object
}

// Key returns the key of an object.
func Key(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// EventType is the type of a write.
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
	// Item is the new state, or for Deleted the last state with the version of the deletion.
	Item *Item
	// Prev is the previous state; nil for Created.
	Prev *Item

	frames frames
}

// Version returns the version of the write.
func (e *Event) Version() uint64 { return e.Item.Version }

// frames are encoded forms of an event, each made once.
type frames struct {
	mu   sync.Mutex
	made map[any]*frame
}

type frame struct {
	once sync.Once
	data []byte
	err  error
}

// Frame returns the form of the event with a key. The first caller creates it; concurrent callers wait and share it.
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

// DropFrames drops the forms.
func (e *Event) DropFrames() {
	e.frames.mu.Lock()
	e.frames.made = nil
	e.frames.mu.Unlock()
}

// Resource identifies a collection.
type Resource = schema.GroupResource
