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

// Source is where a Reflector gets its objects from.
type Source struct {
	List  func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
	Watch func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
	// ContextAware says that List and Watch return when their context ends.
	ContextAware bool
	// NoWatchList says that no watch can begin with all objects, NoChunks that a list is not to be divided into pages.
	NoWatchList, NoChunks bool

	// ListRequest and WatchRequest return the requests behind List and Watch, so that the Reflector can read bytes. They are nil if
	// there are none.
	ListRequest, WatchRequest func(options metav1.ListOptions) *rest.Request
	// ListRaw and WatchRaw are used in place of the requests, if they are not nil. They return the bytes or, if these cannot be had, what
	// List and Watch would.
	ListRaw  func(ctx context.Context, options metav1.ListOptions) (*rest.Items, runtime.Object, error)
	WatchRaw func(ctx context.Context, options metav1.ListOptions) (*rest.Frames, watch.Interface, error)
	// NewObject returns what an object is decoded into, if the Config does not say it. It may be nil.
	NewObject func() any
	// AnyForm says that the requests ask for protobuf even for a type that has no such form.
	AnyForm bool
}

// Sink is what a Reflector writes to. The Reflector waits for each call. An error that it returns belongs to one object or to one list.
type Sink interface {
	// Relist begins a list of all objects. If streaming is set, objects may change before all of them are there.
	Relist(streaming bool) Relist
	// Take takes a change. What it is given is good until it returns. An object that cannot be decoded is an *UndecodableError.
	Take(e *Event) error
	// Bookmark notes that everything up to a version was brought.
	Bookmark(version string) error
	// Reached is called with each version that the Reflector has reached.
	Reached(version string)
	Resync() error
	// KeyOf returns the key of a decoded object.
	KeyOf(obj any) (string, error)
}

// Relist is a list on its way into a Sink. If it is not committed, nothing has happened.
type Relist interface {
	// Add takes an object. If the sink has it in the same version, and nothing has written to it since, it need not be loaded. An error of
	// loading is returned, by Add or by Failed, and the object is then taken to be listed but unreadable: what the sink has under the key
	// stays.
	Add(item *Item) error
	// Remove takes back what was added under a key.
	Remove(key string)
	// Commit puts what was added in the place of all there is, which is then as of the version.
	Commit(version string) error
	// Failed returns, after Commit, what could not be loaded and was not returned by Add as an error.
	Failed() []UndecodableError
}

// Item is an object of a list on its way into a Sink.
type Item struct {
	Key string
	Rev object.Revision
	// Raw is what Load decodes, good until Add returns; nil if Obj is there already.
	Raw *rest.Raw
	Obj any

	from *Reflector
}

// Load returns what is stored of the object.
func (i *Item) Load() (any, error) {
	if i.Raw == nil {
		return i.from.Admit(i.Obj)
	}
	return i.from.Decode(i.Key, i.Raw)
}

// Decode is Load for a copy of Raw, at any time and in any goroutine.
func (i *Item) Decode(raw *rest.Raw) (any, error) { return i.from.Decode(i.Key, raw) }

// IsHeld reports whether an object that is stored in the same version is certainly what came.
func (i *Item) IsHeld(stored any) bool {
	return object.IsAtRest(stored) || i.Raw != nil && i.from.config.Codec != nil && i.from.config.Codec.Holds(i.Raw, stored)
}

// Config is what a Reflector is made of. Source and Sink must be set.
type Config struct {
	// Name is what logs and the State call the Reflector, Type what is listed and watched; empty means that of the Example.
	Name, Type string
	// Example is an object of the type that is expected; nil means any. If it is unstructured and has a kind, that is expected, too.
	Example any
	Source  Source
	Sink    Sink
	Logger  logr.Logger
	Clock   clock.Clock
	// Codec decodes objects. Nil means that they are for a sink that may do with them what it likes. Stored returns what the sink has
	// under a key, or nil; it may be nil.
	Codec  *codec.Codec
	Stored func(key string) any
	// NotOlder is a version that the first list must be at least as new as. Empty means that any will do.
	NotOlder string
	// ResyncPeriod is the time between two calls of Sink.Resync, 0 for never. ShouldResync is asked each time; nil means yes.
	ResyncPeriod time.Duration
	ShouldResync func() bool
	// MinWatchTimeout is how long a watch lasts at least, not less than five minutes.
	MinWatchTimeout time.Duration
	// Backoff says how long to wait after failures; nil means the Reflector's own way.
	Backoff *wait.Backoff
	// PageSize is the number of objects in a page of a list; 0 means that the Reflector chooses.
	PageSize int64
	// InternalErrorRetry is for how long a watch that ends with an internal error of the server is begun again without a list.
	InternalErrorRetry time.Duration
	// OnInconsistency is called when the objects at the beginning of a watch differ from a list of the same version; nil means that they
	// are not compared.
	OnInconsistency func(*Inconsistency)
	// OnError is called when a list fails or a watch cannot begin. Nil means that the failure is logged.
	OnError func(ctx context.Context, r *Reflector, err error)
}

const minWatchTimeout = 5 * time.Minute

// Reflector keeps a Sink like what a server has: it lists, and then watches, for as long as it runs.
type Reflector struct {
	// Random returns a number between 0 and 1, by which waits and watches differ. Tests replace it.
	Random func() float64

	config       Config
	raw          bool // bytes are read: ListRequest and WatchRequest, or ListRaw and WatchRaw, are used
	expectedType reflect.Type
	expectedGVK  *schema.GroupVersionKind
	newObject    func() any
	onlyJSON     bool // newObject cannot be read from protobuf, and the client does not know

	// What follows outlives a round, and belongs to the goroutine that runs.
	backoff  *backoff
	fallback watchListFallback
	recheck  recheck
	paged    bool // the first list came in pages though it need not have
	kind     kindCheck
	resume   string
	// checkSoon is set by those who decode for the reflector when there is something to look at again.
	checkSoon atomic.Bool

	mu sync.Mutex // guards what follows
	status
}

// New returns a Reflector.
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

// Name is how the reflector is called in logs.
func (r *Reflector) Name() string { return r.config.Name }

// Type says what is listed and watched.
func (r *Reflector) Type() string { return r.config.Type }

// Set changes what can be changed before a run, and not while one is under way.
func (r *Reflector) Set(pageSize int64, shouldResync func() bool, internalErrorRetry time.Duration, onInconsistency func(*Inconsistency)) {
	r.config.PageSize, r.config.ShouldResync = pageSize, shouldResync
	r.config.InternalErrorRetry, r.config.OnInconsistency = internalErrorRetry, onInconsistency
}

// Resume has the next run begin with a watch from a version, without a list. It counts once.
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

// ListAndWatch lists once, and then watches for as long as that can be done without another list. The error is that of a list or of a
// watch that could not begin; it is nil if the context ended, or a watch broke off later.
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
