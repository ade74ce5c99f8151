package shardgroup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/controller"
	"vedette.dev/fence"
	"vedette.dev/internal/clock"
	"vedette.dev/internal/written"
	coordinationclient "vedette.dev/kubernetes/typed/coordination/v1"
	coreclient "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/shardgroup/internal/protocol"
)

// Errors of Run, and of work that has to stop.
var (
	// ErrNotOwner is wrapped by the error of Begin for a shard that this member does not own.
	ErrNotOwner = controller.ErrNotOwner
	// ErrLost is wrapped by the error of Run if the member could not renew its lease in time, or the lease was fenced or
	// deleted.
	ErrLost = errors.New("membership was lost")
	// ErrMismatch is wrapped by the error of Run if the group has another key or number of shards.
	ErrMismatch = errors.New("the group is configured differently")
	// ErrDrainTimeout is wrapped by the error of Run if work in a shard does not end.
	ErrDrainTimeout = errors.New("work did not end in time")
	// ErrMoved is wrapped by the error of the context of work in a shard that goes to another member.
	ErrMoved = errors.New("shard goes to another member")
)

// Group is a member of a group of processes that share the shards of a kind, or of several.
type Group struct {
	config Config
	ranges []shard.Range
	name   protocol.Member
	logger *slog.Logger
	clock  clock.Clock
	leases coordinationclient.LeaseInterface
	maps   coreclient.ConfigMapInterface
	// term is the membership: it lasts for RenewDeadline after the last renewal was sent.
	term *fence.Term
	// gate has the term from when the lease was created.
	gate fence.Gate
	// renewSoon has an element if the report has to be written before the next renewal is due.
	renewSoon chan struct{}
	work      sync.WaitGroup // goroutines of Prepare

	// mu is not held while the clock is read: in a simulation, that waits for as long as the process is stopped, and time does not go on
	// while another goroutine waits for mu.
	mu       sync.Mutex
	ran      bool
	quitting bool          // all shards are drained, and none is begun
	ended    bool          // the membership is over
	sent     clock.Reading // just before the last successful renewal was sent
	isMember bool          // the lease was created
	report   protocol.Report
	// accepted is the ID of the map that the last successful renewal has named. Grants of others do not count.
	accepted string
	current  *revision // the last valid map, or nil
	// newest is the resource version of the newest valid map, and lastMap its ID. earlierMaps are the IDs of those that it has replaced.
	newest, lastMap string
	earlierMaps     map[string]bool
	mapErr          error // why the newest map is not valid, or nil
	watchErr        error // why the map cannot be listed or watched, or nil
	// unowned are the shards without an owner, and since when this member has seen that.
	unowned map[int]clock.Reading
	shards  []local
	moves   []Move
	// moving are the shards that are to leave their owner, or have none, and since when this member has seen that.
	moving  map[int]clock.Reading
	grants  uint64
	changed chan struct{}
	// waits wait until the caches for a shard are filled.
	waits []func(ctx context.Context, shard int) error
	// sources are those of informers that run.
	sources map[*runningSource]bool
	// bound are the informers of Bind, by the name of their resource.
	bound map[string][]bound
	// unhealthy is the last error of the renewals, nil after one has succeeded.
	unhealthy error
}

// revision is a map as it is on the server.
type revision struct {
	*protocol.Map
	version string
}

// local is what this member does in a shard.
type local struct {
	// epoch is that of the grant by which this member works in the shard, or 0.
	epoch int64
	term  *fence.Term
	// draining says that no work may begin, since drainSince.
	draining   bool
	drainSince clock.Reading
	inFlight   int
	// released is the highest epoch at which the shard was released. Grants up to it are over.
	released int64
	// wrote has the versions of what was written in the shard, by resource: by former owners, and by this member.
	wrote map[string]string
	// caughtUp is the epoch of the grant for which the informers of Bind have what former owners have written, and awaited
	// that for which a goroutine waits.
	caughtUp, awaited int64
	// prepared says that Prepare has returned. Until then no work begins. stop ends a call that is running, else it is nil.
	prepared bool
	stop     context.CancelFunc
	// fills counts the calls of Prepare.
	fills int64
}

// New returns a member that joins the group when Run is called.
func New(config Config) (*Group, error) {
	config.setDefaults()
	if err := config.validate(); err != nil {
		return nil, err
	}
	name, err := config.member()
	if err != nil {
		return nil, err
	}
	coordination, err := coordinationclient.NewForConfig(config.REST)
	if err != nil {
		return nil, fmt.Errorf("shardgroup: %w", err)
	}
	core, err := coreclient.NewForConfig(config.REST)
	if err != nil {
		return nil, fmt.Errorf("shardgroup: %w", err)
	}
	g := &Group{
		ranges:    config.ranges(),
		config:    config,
		name:      name,
		logger:    config.Logger.With("group", config.Namespace+"/"+config.Name, "member", string(name)),
		clock:     config.clock,
		leases:    coordination.Leases(config.Namespace),
		maps:      core.ConfigMaps(config.Namespace),
		renewSoon: make(chan struct{}, 1),
		report:    protocol.Report{State: protocol.Joining, Capacity: config.Capacity},
		shards:    make([]local, config.Shards),
		moving:    map[int]clock.Reading{}, earlierMaps: map[string]bool{}, sources: map[*runningSource]bool{},
		changed: make(chan struct{}),
	}
	if config.Prepare != nil {
		g.waits = append(g.waits, config.Prepare)
	}
	g.term = fence.NewTerm("member "+string(name), g.expired)
	return g, nil
}

// expired returns the cause of the end of the membership if its time has run out.
func (g *Group) expired() error {
	now := g.clock.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.isMember || now.AtMost(g.sent) < g.config.RenewDeadline {
		return nil
	}
	return fmt.Errorf("%w: the lease could not be renewed for %v", ErrLost, g.config.RenewDeadline)
}

// Name returns the name of this run of the process, which is also the name of its Lease.
func (g *Group) Name() string { return string(g.name) }

// RESTConfig returns a copy of Config.REST for clients that write only while this process is a member: writes are refused before Run has
// joined the group, and when the membership is over. Requests made with a context of Begin are refused when the shard is no longer
// owned, whatever client makes them.
func (g *Group) RESTConfig() *rest.Config {
	config := rest.CopyConfig(g.config.REST)
	config.Wrap(g.gate.Wrap)
	return config
}

// Run joins the group, and works until ctx ends. Then the member gives its shards to others, waits until the work in them has
// ended, and leaves. An error means that the membership was lost, or could not be given up: the process should exit, so
// that the others take over when its lease has expired. Run can be called once.
func (g *Group) Run(ctx context.Context) error {
	g.mu.Lock()
	ran := g.ran
	g.ran = true
	g.mu.Unlock()
	if ran {
		return errors.New("shardgroup: Run was called before")
	}
	// Everything the group does lasts longer than ctx: it has to leave.
	inner, stop := context.WithCancelCause(fence.Exempt(context.WithoutCancel(ctx)))
	var all sync.WaitGroup
	defer g.work.Wait()
	defer all.Wait()
	defer stop(nil)
	if err := g.join(ctx, inner); err != nil {
		return err
	}
	g.gate.Open(g.term)
	cancel := g.term.AfterEnd(func() { stop(g.term.Err()) })
	defer cancel()
	maps := g.newMaps()
	all.Go(func() { g.renewals(inner) })
	all.Go(func() { g.checks(inner) })
	all.Go(func() { maps.run(inner) })
	all.Go(func() { newCoordinator(g, maps).run(inner) })
	select {
	case <-ctx.Done():
	case <-g.term.Done():
	}
	err := g.leave(inner)
	over := err
	if over == nil {
		over = errors.New("it has left")
	}
	g.term.End(over)
	g.endAll(over)
	return err
}

// checks asks the clock whether the membership is over, and whether work takes too long to end.
func (g *Group) checks(ctx context.Context) {
	for g.sleep(ctx, min(g.config.RetryPeriod/4, 500*time.Millisecond)) {
		if g.term.Err() != nil {
			return
		}
		g.follow()
	}
}

// sleep returns false if ctx ends before.
func (g *Group) sleep(ctx context.Context, d time.Duration) bool {
	c, stop := g.clock.After(d)
	defer stop()
	select {
	case <-c:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// Begin begins work in a shard. The context that it returns ends with the ownership of the shard, by the clock, and requests made
// with it are refused from then on. The shard goes to another member when done has been called for all work that was
// begun; done may be called more than once. The error wraps [ErrNotOwner] if this member does not own the shard now.
func (g *Group) Begin(ctx context.Context, shard int) (_ context.Context, done func(), err error) {
	if err := g.term.Err(); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNotOwner, err)
	}
	if shard < 0 || shard >= len(g.shards) {
		return nil, nil, fmt.Errorf("%w: there is no shard %d", ErrNotOwner, shard)
	}
	epoch, term := g.enter(shard)
	if term == nil {
		return nil, nil, fmt.Errorf("%w: shard %d", ErrNotOwner, shard)
	}
	ctx = written.With(context.WithValue(ctx, epochKey{}, epoch), func(w written.Write) { g.wrote(shard, w) })
	ctx, cancel := fence.WithCancelCause(fence.With(ctx, term))
	return ctx, sync.OnceFunc(func() {
		cancel(context.Canceled)
		if g.exit(shard) {
			g.follow()
		}
	}), nil
}

// enter counts work in a shard. It returns nil if none may begin.
func (g *Group) enter(shard int) (int64, *fence.Term) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := &g.shards[shard]
	if l.epoch == 0 || l.draining {
		return 0, nil
	}
	l.inFlight++
	return l.epoch, l.term
}

// exit reports whether it was the last work in a shard that is drained.
func (g *Group) exit(shard int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := &g.shards[shard]
	l.inFlight--
	return l.inFlight == 0 && l.draining
}

type epochKey struct{}

// Epoch returns the epoch of the shard in which the work with this context runs. A later owner of the shard has a greater one.
// Pass it to what is outside of the cluster, and let that refuse a lower one than it has seen.
func Epoch(ctx context.Context) (epoch int64, ok bool) {
	epoch, ok = ctx.Value(epochKey{}).(int64)
	return epoch, ok
}

// Owned returns the shards in which this member may begin work.
func (g *Group) Owned() []int {
	if g.term.Err() != nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var owned []int
	for i := range g.shards {
		if g.shards[i].epoch != 0 && !g.shards[i].draining {
			owned = append(owned, i)
		}
	}
	return owned
}

// Changed returns a channel that is closed when the result of Owned or State may have changed.
func (g *Group) Changed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed
}

// tell closes the channel of Changed. The caller holds mu.
func (g *Group) tell() {
	close(g.changed)
	g.changed = make(chan struct{})
}

func shardName(i int) string { return "shard " + strconv.Itoa(i) }

// EpochAnnotation is the annotation that [Stamp] writes.
const EpochAnnotation = "vedette.dev/epoch"

// ErrLaterOwner is wrapped by the error of [Stamp] for an object that a later owner of its shard has written.
var ErrLaterOwner = errors.New("a later owner of the shard has written the object")

// Stamp writes the epoch of the shard in which the work with this context runs to the annotations of an object, which is then
// updated at the version that was read. The error wraps [ErrLaterOwner] if the object has a greater epoch.
func Stamp(ctx context.Context, obj metav1.Object) error {
	epoch, ok := Epoch(ctx)
	if !ok {
		return errors.New("shardgroup: Stamp needs the context of Begin or of a reconcile, and this one has no epoch")
	}
	annotations := obj.GetAnnotations()
	if text := annotations[EpochAnnotation]; text != "" {
		last, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("shardgroup: annotation %s of %s/%s is %q, want a number", EpochAnnotation, obj.GetNamespace(), obj.GetName(), text)
		}
		if last > epoch {
			return fmt.Errorf("%w: %s/%s has epoch %d, and this member works at %d", ErrLaterOwner, obj.GetNamespace(), obj.GetName(), last, epoch)
		}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[EpochAnnotation] = strconv.FormatInt(epoch, 10)
	obj.SetAnnotations(annotations)
	return nil
}
