package cache

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
)

// Reflector keeps a store like what a server has: it lists, and then watches, for as long as it runs.
//
//  1. It asks for a watch that begins with all objects (streaming). From a server that refuses, or does not say where
//     they end, it gets a list in pages (listing), and tries the other again after a while.
//  2. The new state goes to the store in one step. What the store has in the same state is not decoded again.
//  3. Each change goes to the store as it comes (watching). A watch that ends is begun again at the last version.
//  4. When something fails it waits (backing off), and goes on with the watch, if that can be done without a loss, or
//     with 1.
//
// A store that does not return from a call stops the reflector until it does. Nothing is dropped.
type Reflector struct {
	// WatchListPageSize is the number of objects to ask for in a page of a list. 0 means 500, and no pages where they would
	// keep a server from answering out of its memory. Any other number makes every list a burden for the database of
	// the server.
	WatchListPageSize int64
	// ShouldResync is asked, each time the resync period is over, whether to call Resync of the store. Nil means yes.
	ShouldResync func() bool
	// MaxInternalErrorRetryDuration is for how long a watch that ends with an internal error of the server is begun again,
	// before there is a list. 0 means that there is a list at once.
	MaxInternalErrorRetryDuration time.Duration
	// OnInconsistency has the objects at the beginning of each watch compared with a list of the same version, and is told of what
	// differs. It costs a list each time, and is for those who do not trust a server. Nil means no comparison.
	OnInconsistency func(err *InconsistencyError)

	name            string
	typeDescription string
	logger          logr.Logger
	clock           clock.Clock
	random          func() float64

	lw           ListerWatcherWithContext
	contextAware bool // lw ends its calls when their context ends
	raw          *rawListWatch
	refusing     bool // lw says that no watch of it can begin with all objects
	noChunks     bool
	expectedType reflect.Type
	expectedGVK  *schema.GroupVersionKind
	newObject    func() any
	codec        *codec               // nil if objects are for a store that may do with them what it likes
	stored       func(key string) any // what the store has under a key, or nil; nil if the codec is
	onlyJSON     bool                 // newObject cannot be read from protobuf, and the client does not know

	store      ReflectorStore
	relists    relister               // the store, if it is one
	bookmarks  ReflectorBookmarkStore // the store, if it is one
	versions   ResourceVersionUpdater // the store, if it is one
	frames     frameTaker             // the store, if it is one
	onError    WatchErrorHandlerWithContext
	resync     time.Duration
	minTimeout time.Duration

	// What follows outlives a round, and belongs to the goroutine that runs.
	backoff  *backoff
	fallback watchListFallback
	recheck  recheck
	paged    bool // the first list came in pages though it need not have
	kind     kindCheck
	// resume is the version at which to begin to watch, without a list. It counts once.
	resume string
	// checkSoon is set by those who decode for the reflector when there is something to look at again.
	checkSoon atomic.Bool

	mu sync.Mutex // guards what follows
	status
}

// ResourceVersionUpdater is a ReflectorStore that wants to know of every version that the reflector has reached.
type ResourceVersionUpdater interface {
	UpdateResourceVersion(resourceVersion string)
}

var _ StateReader = (*Reflector)(nil)

// ReflectorOptions configures a Reflector. The zero value works.
type ReflectorOptions struct {
	// Logger hears of changes for the worse and for the better, one line each. Nil means silence.
	Logger *logr.Logger
	// Name is what Name returns: if empty, the place in the source where the reflector is made.
	Name string
	// TypeDescription is what TypeDescription returns: if empty, the Go type, or the kind of unstructured objects.
	TypeDescription string
	// ResyncPeriod is the time between two calls of Resync of the store. 0 means never.
	ResyncPeriod time.Duration
	// MinWatchTimeout is how long a watch lasts at least, if nothing ends it, and twice that at most. It is not less than
	// five minutes.
	MinWatchTimeout time.Duration
	// Clock is for tests that do not run in a synctest bubble. Nil means the real one.
	Clock clock.Clock
	// Backoff says how long to wait after failures. It begins anew after two minutes without one. Nil means: from 0.8 s up
	// to 5 s, and when it has gone on for two minutes up to 30 s, less a random part of up to a half.
	Backoff *wait.Backoff
}

const minWatchTimeout = 5 * time.Minute

// NewReflector returns a reflector that is named after the place where it is made.
func NewReflector(lw ListerWatcher, expectedType interface{}, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{ResyncPeriod: resyncPeriod})
}

// NewNamedReflector returns a reflector with a name.
func NewNamedReflector(name string, lw ListerWatcher, expectedType interface{}, store ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{Name: name, ResyncPeriod: resyncPeriod})
}

// NewNamespaceKeyedIndexerAndReflector returns an indexer with an index by namespace, and the reflector that fills it.
func NewNamespaceKeyedIndexerAndReflector(lw ListerWatcher, expectedType interface{}, resyncPeriod time.Duration) (indexer Indexer, reflector *Reflector) {
	indexer = NewIndexer(MetaNamespaceKeyFunc, Indexers{NamespaceIndex: MetaNamespaceIndexFunc})
	return indexer, NewReflector(lw, expectedType, indexer, resyncPeriod)
}

// NewReflectorWithOptions returns a reflector. What it puts into the store has the type of expectedType, and if that is
// an unstructured object with a kind, the same kind. Nil means any.
func NewReflectorWithOptions(lw ListerWatcher, expectedType interface{}, store ReflectorStore, options ReflectorOptions) *Reflector {
	r := &Reflector{
		name:            options.Name,
		typeDescription: options.TypeDescription,
		logger:          loggerFrom(options.Logger),
		clock:           options.Clock,
		random:          random,
		lw:              ToListerWatcherWithContext(lw),
		contextAware:    isContextAware(lw),
		raw:             rawOf(lw),
		refusing:        refusesWatchList(lw),
		noChunks:        wantsNoChunks(lw),
		expectedType:    reflect.TypeOf(expectedType),
		expectedGVK:     kindOf(expectedType),
		store:           store,
		onError:         DefaultWatchErrorHandler,
		resync:          options.ResyncPeriod,
		minTimeout:      max(minWatchTimeout, options.MinWatchTimeout),
	}
	r.relists, _ = store.(relister)
	r.bookmarks, _ = store.(ReflectorBookmarkStore)
	r.versions, _ = store.(ResourceVersionUpdater)
	r.frames, _ = store.(frameTaker)
	if r.clock == nil {
		r.clock = clock.RealClock{}
	}
	if r.name == "" {
		r.name = callSite()
	}
	r.logger = r.logger.WithName(r.name)
	if r.typeDescription == "" {
		r.typeDescription = describeType(expectedType)
	}
	r.initRaw()
	r.backoff = newBackoff(r, options.Backoff)
	r.recheck.pace = backoff{clock: r.clock, random: r.jitter, first: recheckFirst, soon: backoffSoon, late: recheckLate}
	return r
}

// Name is how the reflector is called in logs.
func (r *Reflector) Name() string { return r.name }

// TypeDescription says what is listed and watched.
func (r *Reflector) TypeDescription() string { return r.typeDescription }

// Run is RunWithContext until a channel is closed.
func (r *Reflector) Run(stopCh <-chan struct{}) { r.RunWithContext(wait.ContextForChannel(stopCh)) }

// ListAndWatch is ListAndWatchWithContext until a channel is closed.
func (r *Reflector) ListAndWatch(stopCh <-chan struct{}) error {
	return r.ListAndWatchWithContext(wait.ContextForChannel(stopCh))
}

// RunWithContext lists and watches until the context ends.
func (r *Reflector) RunWithContext(ctx context.Context) {
	running := newRunning(r)
	defer running.close()
	defer r.enter(PhaseStopped)
	for s := stepBegin; s != stepStop; {
		s = running.advance(ctx, s)
	}
}

// ListAndWatchWithContext lists once, and then watches for as long as that can be done without another list. The error is
// that of a list or of a watch that could not begin; it is nil if the context ended, or a watch broke off later.
func (r *Reflector) ListAndWatchWithContext(ctx context.Context) error {
	running := newRunning(r)
	defer running.close()
	for s := stepBegin; s != stepStop && !running.roundEnds(s); {
		s = running.advance(ctx, s)
	}
	return running.told
}
