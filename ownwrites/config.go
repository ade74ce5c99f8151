package ownwrites

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
)

// Config configures a Tracker. The zero value works.
type Config struct {
	// Object is an example of what the informer reads, such as &corev1.Pod{}, or an *unstructured.Unstructured with its kind. It
	// is needed if writes are recorded in another form than that: those of a dynamic client for an informer of structs, or the
	// other way round. Nil means that it is learnt from the first object in the store, unless there is a Transform.
	Object runtime.Object
	// Transform is the one that the informer was given, so that one sees the same object from here and from the store. It
	// should leave UID and resource version in place: the store's objects are compared by them.
	Transform cache.TransformFunc
	// Scope tells whether the informer holds an object, for one that has a selector. It is given the answers of the server,
	// before Transform. What was written and is out of scope is not shown, and hides what the store has under its name.
	// Nil means that it holds all. The namespaces of a cache.NamespacedInformer need not be told.
	Scope func(obj metav1.Object) bool

	// LockPatches has the clients send the version that the cache shows along with patches and applies that have none, so that
	// their events can be recognised. If the server refuses that as a conflict, they are sent again as they were.
	LockPatches bool
	// AnswerTimeout is how long a handler waits for the server's answer when it is told of an object that a client of this tracker is
	// writing at this moment, to find out whether the event is of that write. Zero means 100ms. A negative value means that
	// it does not wait, and takes such an event for one of others.
	AnswerTimeout time.Duration
	// Remember is of how many objects the own writes are remembered, to recognise their events. Zero means 10,000.
	Remember int
	// Sweep is how often entries are looked at that wait for the store to catch up; most leave before, with their event. Zero
	// means one second.
	Sweep time.Duration

	// Logger hears of writes that cannot be recorded. Nil means silence.
	Logger *slog.Logger
}

const (
	defaultAnswerTimeout = 100 * time.Millisecond
	defaultRemember      = 10_000
	defaultSweep         = time.Second
)

func (c *Config) validate() error {
	switch {
	case isNil(c.Object) && c.Object != nil:
		return fmt.Errorf("ownwrites: Config.Object is a nil %T; it must be an example, or left out", c.Object)
	case c.Remember < 0:
		return fmt.Errorf("ownwrites: Config.Remember is %d; it must be 0 or more", c.Remember)
	case c.Sweep < 0:
		return fmt.Errorf("ownwrites: Config.Sweep is %v; it must be 0 or more", c.Sweep)
	}
	return nil
}

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	if c.AnswerTimeout == 0 {
		c.AnswerTimeout = defaultAnswerTimeout
	}
	if c.Remember == 0 {
		c.Remember = defaultRemember
	}
	if c.Sweep == 0 {
		c.Sweep = defaultSweep
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// What recording a write may say. Nothing is recorded then, and reads show what the store has.
var (
	// ErrClosed is after Close.
	ErrClosed = errors.New("ownwrites: the tracker is closed")
	// ErrIncomparable is for a resource version that is not a number: nobody can tell whether the store is older.
	ErrIncomparable = errors.New("ownwrites: the resource version is not a number")
	// ErrUnbounded is for a deletion of which nobody can tell when the store has caught up with it: see Deletion.After.
	ErrUnbounded = errors.New("ownwrites: no version of the deleted object is known, give one from after its deletion")
	// ErrReadOnly is what the writing methods of Indexer return. Only the informer writes to its store.
	ErrReadOnly = errors.New("ownwrites: this is a view to read from, write through the API")
)
