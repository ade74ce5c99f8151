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

// Config configures a [Tracker]. The zero value works.
type Config struct {
	// Object is an example of the informer's objects, such as &corev1.Pod{}, or an *unstructured.Unstructured with its
	// kind. It is needed if recorded objects have another type: those of a dynamic client for an informer of structs,
	// or the other way round. If nil, the type is taken from the first object in the store, unless there is a
	// Transform.
	Object runtime.Object
	// Transform is the transform of the informer, so that recorded objects look like those of the store. It should keep
	// UID and resource version: objects are compared by them.
	Transform cache.TransformFunc
	// Scope reports whether the informer holds an object, for an informer with a selector. It is called with the
	// server's answers, before Transform. Objects that were written and are out of scope are not shown, and hide the
	// store's object of the same name. Nil means that it holds all objects. It need not check the namespaces of a
	// cache.NamespacedInformer.
	Scope func(obj metav1.Object) bool

	// LockPatches makes the clients add the cached resource version to patches and applies that have none, so that
	// their events can be recognised. If the server answers with a conflict, they are sent again unchanged.
	LockPatches bool
	// AnswerTimeout is how long a handler waits for the server's answer when it receives an event of an object with a
	// write in flight, to find out whether the event is of that write. Zero means 100ms. With a negative value it does
	// not wait, and treats such an event as foreign.
	AnswerTimeout time.Duration
	// Remember is the number of objects whose own writes are remembered, to recognise their events. Zero means 10,000.
	Remember int
	// Sweep is the interval at which entries are checked that wait for the store to catch up; most are removed earlier,
	// by their event. Zero means one second.
	Sweep time.Duration

	// Logger receives writes that cannot be recorded. Nil means no logging.
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
		return fmt.Errorf("ownwrites: Config.Object is a nil %T; set an example or leave it out", c.Object)
	case c.Remember < 0:
		return fmt.Errorf("ownwrites: Config.Remember is %d; it must be 0 or more", c.Remember)
	case c.Sweep < 0:
		return fmt.Errorf("ownwrites: Config.Sweep is %v; it must be 0 or more", c.Sweep)
	}
	return nil
}

// withDefaults sets the defaults.
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

// Errors of recording a write. Nothing is recorded then, and reads show what the store has.
var (
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("ownwrites: the tracker is closed")
	// ErrIncomparable is returned for a resource version that is not a number: it cannot be compared with that of the
	// store.
	ErrIncomparable = errors.New("ownwrites: resource version is not a number")
	// ErrUnbounded is returned for a deletion without any known version, so that it cannot be known when the store has
	// caught up: see Deletion.After.
	ErrUnbounded = errors.New("ownwrites: no version of the deleted object is known; set Deletion.After")
	// ErrReadOnly is returned by the writing methods of Indexer. Only the informer writes to its store.
	ErrReadOnly = errors.New("ownwrites: the indexer is read-only; write through the API")
)
