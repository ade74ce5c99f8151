package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"vedette.dev/internal/fanout"
	"vedette.dev/internal/mutex"
	"vedette.dev/internal/perturb"
	"vedette.dev/internal/shrink"
)

// partition is one part of the objects of an informer.
type partition struct {
	config   PartitionConfig
	label    *fanout.Partition // what its notifications carry
	informer *Informer
	inbox    *inbox
	limiter  *rate.Limiter // of changes
	ctx      context.Context
	cancel   context.CancelFunc

	// shared is the log of handlers for all partitions, own that of handlers for this one. They differ in the notification of an
	// object that moves: for the first it has changed, for the others it is gone, or new. Partitions of the same ID that follow
	// each other have the same own log.
	shared, own *fanout.Log
	// applying is held by the goroutine that applies a batch, so that index functions are called one at a time.
	applying mutex.Mutex
	scratch  scratch // of the goroutine that has applying

	// What follows is guarded by applyMu.

	// awaited is the streams that have not brought their first list. expecting is true until the partition has had a stream.
	awaited           map[*Stream]struct{}
	expecting         bool
	synced            chan struct{}
	room              room
	movedIn, movedOut uint64
	// barriers are of the keys whose notifications go to the shared log of this partition, whichever they belong to, in the order of
	// the log; swept is how many there were when they were last checked.
	barriers shrink.Queue[queuedBarrier]
	swept    int
	// filling says that a list for what was left out is due.
	filling bool

	mu       sync.Mutex
	lags     Lags
	events   uint64
	received int64
	meter    meter
}

// atOnce is the greatest number of events that are applied in one step, so that other partitions do not wait for long.
const atOnce = 512

func (s *Informer) newPartition(config PartitionConfig) *partition {
	p := &partition{
		config:   config,
		label:    &fanout.Partition{ID: config.ID},
		informer: s,
		inbox:    s.queue.newInbox(),
		shared:   fanout.NewLog(s.config.ResyncPeriod, s.log()),
		own:      s.ownLog(config.ID),
		awaited:  map[*Stream]struct{}{}, expecting: true,
		synced:   make(chan struct{}),
		applying: mutex.New(),
	}
	p.room = newRoom(&p.config)
	p.limiter = rate.NewLimiter(rate.Inf, atOnce)
	p.limit(config)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// ownLog returns the log of handlers for the partition of an ID, under applyMu. It is kept for as long as there is such a partition,
// or a handler for it: the notifications of a partition that is added again follow those of its removal.
func (s *Informer) ownLog(id string) *fanout.Log {
	log := s.own[id]
	if log == nil {
		log = fanout.NewLog(s.config.ResyncPeriod, s.log())
		s.own[id] = log
	}
	return log
}

// open starts the goroutines of a partition, under applyMu.
func (s *Informer) open(p *partition) {
	p.shared.Start()
	p.own.Start()
	s.work.Go(p.run)
	if period := shortest(p.shared.Period(), p.own.Period()); period > 0 {
		s.work.Go(func() { p.resync(period) })
	}
	p.noteSynced()
}

// shortest returns the shorter of two periods, of which each may be zero for never.
func shortest(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

func (p *partition) isSynced() bool {
	select {
	case <-p.synced:
		return true
	default:
		return false
	}
}

// noteSynced is called under applyMu, when the informer runs.
func (p *partition) noteSynced() {
	if p.expecting || len(p.awaited) > 0 || p.isSynced() {
		return
	}
	close(p.synced)
	p.shared.MarkSynced()
	p.own.MarkSynced()
}

// run decodes and applies what is in the inbox, until it is closed and empty.
func (p *partition) run() {
	s := p.informer
	for {
		events, version, ok := s.queue.take(p.inbox, p.limiter.Burst())
		if !ok {
			return
		}
		if !p.inbox.keepAll {
			_ = p.limiter.WaitN(p.ctx, len(events)) // it fails when the partition is removed, and then nothing is limited
			for _, ev := range events {
				for ; ev != nil; ev = ev.beneath {
					ev.stream.decode(ev)
				}
			}
		}
		perturb.Point()
		s.deliver(p, events, version)
		perturb.Point()
		for _, ev := range events {
			if ev.raw != nil {
				s.queue.release(ev.raw)
				ev.raw = nil
			}
		}
		s.queue.done(p.inbox, events)
	}
}

// resync notifies handlers whose resync is due of all objects again.
func (p *partition) resync(period time.Duration) {
	timer := time.NewTimer(period)
	defer timer.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-timer.C:
			p.notifyAgain()
			timer.Reset(period) // a ticker would fire a moment before the time that ShouldResync has set, and skip a period
		}
	}
}

func (p *partition) notifyAgain() {
	s := p.informer
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	shared, own := p.shared.ShouldResync(), p.own.ShouldResync()
	if !shared && !own {
		return
	}
	v := s.objectsOf(p)
	defer v.Release()
	all := make([]fanout.Notification, 0, v.Len())
	for r := range v.Rows() {
		all = append(all, fanout.Notification{Key: r.Key(), Old: r.Object, New: r.Object, Type: fanout.Updated, Sync: true, Partition: p.label})
	}
	if shared {
		p.shared.Append(all)
	}
	if own {
		p.own.Append(all)
	}
}

// applied counts what a batch has brought.
func (p *partition) applied(events int, bytes int64, since time.Time) {
	at := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events += uint64(events)
	p.received += bytes
	p.meter.add(float64(events), at)
	if !since.IsZero() {
		p.lags.add(max(0, at.Sub(since)))
	}
}

// meter measures how often something happens, with more weight on the last ten seconds.
type meter struct {
	perSecond float64
	at        time.Time
}

const meterMemory = 10 * time.Second

func (m *meter) add(n float64, at time.Time) {
	m.perSecond = m.rate(at) + n/meterMemory.Seconds()
	m.at = at
}

func (m *meter) rate(at time.Time) float64 {
	return m.perSecond * math.Exp(-float64(max(0, at.Sub(m.at)))/float64(meterMemory))
}

// PartitionConfig configures a partition. A limit of zero means no limit.
type PartitionConfig struct {
	ID string
	// MaxObjects is the greatest number of objects of the partition, and MaxBytes their greatest size in all, as the server sent
	// them. Objects beyond that are left out until there is room again; the state of the partition says so.
	MaxObjects int
	MaxBytes   int64
	// MaxEventRate is how many changes a second are applied. Those that wait are coalesced by key.
	MaxEventRate float64
}

func (c *PartitionConfig) validate() error {
	switch {
	case c.ID == "":
		return errors.New("PartitionConfig.ID is empty")
	case c.MaxObjects < 0:
		return fmt.Errorf("PartitionConfig.MaxObjects of %q is %d, want 0 or more", c.ID, c.MaxObjects)
	case c.MaxBytes < 0:
		return fmt.Errorf("PartitionConfig.MaxBytes of %q is %d, want 0 or more", c.ID, c.MaxBytes)
	case c.MaxEventRate < 0 || c.MaxEventRate != c.MaxEventRate:
		return fmt.Errorf("PartitionConfig.MaxEventRate of %q is %v, want 0 or more", c.ID, c.MaxEventRate)
	}
	return nil
}

// LimitError is the error of a partition that has left objects out because it has reached a limit.
type LimitError struct {
	ID string // of the partition
	// What is "objects" or "bytes", and Limit how many there may be.
	What  string
	Limit int64
	// LeftOut is how many objects were left out since the partition was last listed.
	LeftOut uint64
}

func (e *LimitError) Error() string {
	// Only shards have limits.
	return fmt.Sprintf("shard %q has reached its limit of %d %s: objects left out: %d; raise the limit, or split the shard", e.ID, e.Limit, e.What, e.LeftOut)
}

// room is the limits of a partition, and how much of them is used.
type room struct {
	limits *PartitionConfig
	bytes  int64
	sizes  *shrink.StringMap[int64] // of each object; nil if bytes are not limited
	full   *LimitError              // nil as long as nothing was left out
}

func newRoom(limits *PartitionConfig) room {
	r := room{limits: limits}
	if limits.MaxBytes > 0 {
		r.sizes = &shrink.StringMap[int64]{}
	}
	return r
}

// admits reports whether there is room for one object more, beside so many.
func (r *room) admits(objects int, size int64) bool {
	what, limit := "", int64(0)
	switch {
	case r.limits.MaxObjects > 0 && objects >= r.limits.MaxObjects:
		what, limit = "objects", int64(r.limits.MaxObjects)
	case r.limits.MaxBytes > 0 && r.bytes+size > r.limits.MaxBytes:
		what, limit = "bytes", r.limits.MaxBytes
	default:
		return true
	}
	leftOut := uint64(1)
	if r.full != nil {
		leftOut += r.full.LeftOut
	}
	r.full = &LimitError{ID: r.limits.ID, What: what, Limit: limit, LeftOut: leftOut}
	return false
}

// has notes that an object is in the partition, and its size. gone notes that it is not there any more.
func (r *room) has(key string, size int64) {
	if r.sizes != nil {
		r.bytes += size - r.sizes.Get(key)
		r.sizes.Put(key, size)
	}
}

func (r *room) gone(key string) {
	if r.sizes != nil {
		r.bytes -= r.sizes.Get(key)
		r.sizes.Delete(key)
	}
}

// size returns the size of an object in the partition, zero if sizes are not counted.
func (r *room) size(key string) int64 {
	if r.sizes == nil {
		return 0
	}
	return r.sizes.Get(key)
}

// roomFor reports whether objects were left out and there is room for a part of the limits: 0 stands for any object.
func (r *room) roomFor(part float64, objects int) bool {
	if r.full == nil {
		return false
	}
	enough := func(have, limit int64) bool { return limit == 0 || have <= limit-max(1, int64(part*float64(limit))) }
	return enough(int64(objects), int64(r.limits.MaxObjects)) && enough(r.bytes, r.limits.MaxBytes)
}

// limit sets the limits, under applyMu or before other goroutines have the partition.
func (p *partition) limit(config PartitionConfig) {
	p.room.limits = &config
	if config.MaxBytes > 0 && p.room.sizes == nil {
		p.room.sizes = &shrink.StringMap[int64]{}
	}
	if r := config.MaxEventRate; r > 0 {
		p.limiter.SetBurst(max(1, int(min(r, atOnce))))
		p.limiter.SetLimit(rate.Limit(r))
		return
	}
	p.limiter.SetBurst(atOnce)
	p.limiter.SetLimit(rate.Inf)
}

// A partition that has left objects out is listed again when there has been room for a tenth of its limits for fillPause, and when there
// has been any room for fillLate. In a partition that is about full, each deletion makes some room, and a list for each would be too much.
const (
	fillPart  = 0.1
	fillPause = 10 * time.Second
	fillLate  = 2 * time.Minute
)

// fillUp has a partition listed again if it has left objects out and now has room. It is called under applyMu.
func (s *Informer) fillUp(p *partition) {
	if p.filling || !p.room.roomFor(0, s.table.CountOwned(p.config.ID)) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started || s.ending {
		return
	}
	p.filling = true
	s.work.Go(func() {
		for began := time.Now(); ; {
			select {
			case <-p.ctx.Done():
				return
			case <-time.After(fillPause):
			}
			if s.fillNow(p, time.Since(began) >= fillLate) {
				return
			}
		}
	})
}

// fillNow has a partition listed again if there is enough room, or some if it is late. It returns false if it is to be called again.
func (s *Informer) fillNow(p *partition, late bool) bool {
	// A change of partitions, which is made under changing, sees that the partition is full, or that its streams list again.
	s.changing.Lock()
	defer s.changing.Unlock()
	s.applyMu.Lock()
	objects := s.table.CountOwned(p.config.ID)
	some := p.room.roomFor(0, objects)
	if some && !late && !p.room.roomFor(fillPart, objects) {
		s.applyMu.Unlock()
		return false
	}
	p.filling = false
	if some {
		p.room.full = nil
	}
	s.applyMu.Unlock()
	if !some {
		return true // the next object that leaves it begins anew
	}
	perturb.Point()
	for _, t := range s.streamsOf(p.config.ID) {
		s.relist(t)
	}
	return true
}
