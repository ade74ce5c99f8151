package listwatch

import (
	"context"
	"io"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"vedette.dev/internal/codec"
	"vedette.dev/internal/object"
	"vedette.dev/rest"
)

// Source is the source of a [Reflector].
type Source struct {
	List  func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
	Watch func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
	// ContextAware means that List and Watch return when their context ends.
	ContextAware bool
	// NoWatchList disables streaming lists, NoChunks pages.
	NoWatchList, NoChunks bool

	// ListRequest and WatchRequest return the requests of List and Watch, so that the Reflector can read bytes. They
	// may be nil.
	ListRequest, WatchRequest func(options metav1.ListOptions) *rest.Request
	// ListRaw and WatchRaw are used in place of the requests, if they are not nil. They return the bytes or, if that is
	// not possible, what List and Watch would.
	ListRaw  func(ctx context.Context, options metav1.ListOptions) (*rest.Items, runtime.Object, error)
	WatchRaw func(ctx context.Context, options metav1.ListOptions) (*rest.Frames, watch.Interface, error)
	// NewObject returns a new object to decode into, if the Config does not have a type. It may be nil.
	NewObject func() any
	// AnyForm means that the requests ask for protobuf even for a type that does not support it.
	AnyForm bool
}

// Sink is the destination of a [Reflector]. The Reflector blocks in each call. An error that it returns concerns one
// object or one list.
type Sink interface {
	// Relist starts a list of all objects. If streaming is set, objects may change before the list is complete.
	Relist(streaming bool) Relist
	// Take applies a change. Its argument is valid until it returns. If the object cannot be decoded, the error is an
	// *UndecodableError.
	Take(e *Event) error
	// Bookmark records that everything up to a version was delivered.
	Bookmark(version string) error
	// Reached is called with each version that the Reflector has reached.
	Reached(version string)
	Resync() error
	// KeyOf returns the key of a decoded object.
	KeyOf(obj any) (string, error)
}

// Relist is a list that is collected for a [Sink]. If it is not committed, nothing has changed.
type Relist interface {
	// Add adds an object. If the sink has it in the same version, and nothing has written to it since, it need not be
	// loaded. An error of loading is returned, by Add or by Failed, and the object is treated as listed but
	// undecodable: the sink's object under the key is kept.
	Add(item *Item) error
	// Remove removes the object with a key.
	Remove(key string)
	// Commit replaces the contents of the sink with the list, at this version.
	Commit(version string) error
	// Failed returns, after Commit, the errors of loading that Add has not returned.
	Failed() []UndecodableError
}

// Item is an object of a list for a [Sink].
type Item struct {
	Key string
	Rev object.Revision
	// Raw is decoded by Load, and valid until Add returns; nil if Obj is set.
	Raw *rest.Raw
	Obj any

	from *Reflector
}

// Load returns what to store for the object.
func (i *Item) Load() (any, error) {
	if i.Raw == nil {
		return i.from.Admit(i.Obj)
	}
	return i.from.Decode(i.Key, i.Raw)
}

// Decode is like Load for a copy of Raw, at any time and in any goroutine.
func (i *Item) Decode(raw *rest.Raw) (any, error) { return i.from.Decode(i.Key, raw) }

// IsHeld reports whether a stored object of the same version is certainly equal.
func (i *Item) IsHeld(stored any) bool {
	return object.IsAtRest(stored) || i.Raw != nil && i.from.config.Codec != nil && i.from.config.Codec.Holds(i.Raw, stored)
}

// Config configures a [Reflector]. Source and [Sink] must be set.
type Config struct {
	// Name is the name of the Reflector in logs and State, Type what is listed and watched; empty means that of the
	// Example.
	Name, Type string
	// Example is an object of the expected type; nil means any. If it is unstructured and has a kind, that is expected,
	// too.
	Example any
	Source  Source
	Sink    Sink
	Logger  logr.Logger
	Clock   clock.Clock
	// Codec decodes objects. Nil means that the sink may modify them. Stored returns the sink's object under a key, or
	// nil; it may be nil.
	Codec  *codec.Codec
	Stored func(key string) any
	// NotOlder is the minimum version of the first list. Empty means any.
	NotOlder string
	// ResyncPeriod is the time between two calls of Sink.Resync, 0 for never. ShouldResync is called each time; nil
	// means true.
	ResyncPeriod time.Duration
	ShouldResync func() bool
	// MinWatchTimeout is the minimum timeout of a watch, at least five minutes.
	MinWatchTimeout time.Duration
	// Backoff is the backoff after failures; nil means the default.
	Backoff *wait.Backoff
	// PageSize is the number of objects in a page of a list; 0 means that the Reflector chooses.
	PageSize int64
	// InternalErrorRetry is how long a watch that ends with an internal error of the server is retried without a list.
	InternalErrorRetry time.Duration
	// OnInconsistency is called when the objects of a streaming list differ from a list of the same version; nil means
	// that they are not compared.
	OnInconsistency func(*Inconsistency)
	// OnError is called when a list fails or a watch cannot start. Nil means that the failure is logged.
	OnError func(ctx context.Context, r *Reflector, err error)
}

const minWatchTimeout = 5 * time.Minute

// Reflector keeps a [Sink] in sync with a server: it lists, and then watches, for as long as it runs.
type Reflector struct {
	// Random returns a number between 0 and 1, for jitter. Tests replace it.
	Random func() float64

	config       Config
	raw          bool // bytes are read: ListRequest and WatchRequest, or ListRaw and WatchRaw, are used
	expectedType reflect.Type
	expectedGVK  *schema.GroupVersionKind
	newObject    func() any
	notProtobuf  bool // newObject does not support protobuf, and the client does not know

	// The fields below outlive a round, and belong to the goroutine of Run.
	backoff  *backoff
	fallback watchListFallback
	recheck  recheck
	paged    bool // the first list came in pages although that was not required
	kind     kindCheck
	resume   string
	// checkSoon is set by decoders outside of the reflector to schedule a recheck.
	checkSoon atomic.Bool

	mu sync.Mutex // guards the fields below
	status
}

// New returns a [Reflector].
func New(config Config) *Reflector {
	if config.Clock == nil {
		config.Clock = clock.RealClock{}
	}
	if config.Type == "" {
		config.Type = DescribeType(config.Example)
	}
	config.Logger = config.Logger.WithName(config.Name)
	config.MinWatchTimeout = max(minWatchTimeout, config.MinWatchTimeout)
	r := &Reflector{
		Random:       random,
		config:       config,
		raw:          config.Source.ListRequest != nil || config.Source.ListRaw != nil,
		expectedType: reflect.TypeOf(config.Example),
		expectedGVK:  kindOf(config.Example),
	}
	r.initRaw()
	r.backoff = newBackoff(r, config.Backoff)
	r.recheck.pace = backoff{clock: config.Clock, random: r.jitter, first: recheckFirst, soon: backoffSoon, late: recheckLate}
	return r
}

// Name returns the name of the reflector in logs.
func (r *Reflector) Name() string { return r.config.Name }

// Type returns what is listed and watched.
func (r *Reflector) Type() string { return r.config.Type }

// Set sets options before a run. It must not be called during one.
func (r *Reflector) Set(pageSize int64, shouldResync func() bool, internalErrorRetry time.Duration, onInconsistency func(*Inconsistency)) {
	r.config.PageSize, r.config.ShouldResync = pageSize, shouldResync
	r.config.InternalErrorRetry, r.config.OnInconsistency = internalErrorRetry, onInconsistency
}

// Resume makes the next run start with a watch from a version, without a list. It is used once.
func (r *Reflector) Resume(version string) { r.resume = version }

// ResumesAt returns the version of Resume, if it has not been used.
func (r *Reflector) ResumesAt() string { return r.resume }

// Run lists and watches until the context ends.
func (r *Reflector) Run(ctx context.Context) {
	running := newRunning(r)
	defer running.close()
	defer r.enter(PhaseStopped)
	for s := stepBegin; s != stepStop; {
		s = running.advance(ctx, s)
	}
}

// ListAndWatch lists once, and then watches for as long as that is possible without a relist. The error is that of a
// list or of a watch that could not start; it is nil if the context ended, or a watch was interrupted later.
func (r *Reflector) ListAndWatch(ctx context.Context) error {
	running := newRunning(r)
	defer running.close()
	for s := stepBegin; s != stepStop && !running.roundEnds(s); {
		s = running.advance(ctx, s)
	}
	return running.reported
}

// onError reports an error that ends a round.
func (r *Reflector) onError(ctx context.Context, err error) {
	if r.config.OnError != nil {
		r.config.OnError(ctx, r, err)
		return
	}
	if err != io.EOF {
		r.LogFailure(err)
	}
}
