package shardgroup

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/internal/clock/clocktest"
	"vedette.dev/internal/shardhistory"
	"vedette.dev/internal/testsize"
	coreclient "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/shardgroup/internal/protocol"
)

var (
	simSeeds = flag.Int("seeds", 0, "number of simulations; 0 is a few")
	simSeed  = flag.Uint64("seed", 0, "the only seed of TestSimulation; 0 is random ones")
)

// link is the way of one member to the server. Everything that passes waits while the clock of the member is stopped.
type link struct {
	clock *clocktest.Clock

	mu sync.Mutex
	r  *rand.Rand
	// cut refuses requests, and silent drops them. delay is the longest time on the way, and lost the share of answers
	// that do not arrive.
	cut, silent bool
	delay       time.Duration
	lost        float64
	closers     map[io.Closer]bool // open watches
	// late is the resource whose watches bring nothing until lateEnds is closed. If lateOpened is set, only those that were opened before are.
	late       string
	lateEnds   chan struct{}
	lateOpened time.Time
}

var errCut = errors.New("the network is cut")

// silentTimeout is when a connection on which nothing comes back is closed, as HTTP/2 does when its pings are not answered. A reconcile has
// no other timeout.
const silentTimeout = 20 * time.Second

func (l *link) draw() (there, back time.Duration, cut, silent, lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.delay > 0 {
		there, back = time.Duration(l.r.Int64N(int64(l.delay))), time.Duration(l.r.Int64N(int64(l.delay)))
	}
	return there, back, l.cut, l.silent, l.r.Float64() < l.lost
}

// transport is a transport of a member.
type transport struct {
	*link
	base http.RoundTripper
}

func (l *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	l.clock.Pass(req.Context().Done())
	there, back, cut, silent, lost := l.draw()
	switch {
	case cut:
		return nil, errCut
	case silent:
		select {
		case <-req.Context().Done():
			return nil, req.Context().Err()
		case <-time.After(silentTimeout):
			return nil, errCut
		}
	}
	isWatch := req.URL.Query().Get("watch") != ""
	if isWatch {
		there, back, lost = 0, 0, false
	}
	time.Sleep(there)
	// What has left the member arrives, whatever becomes of the member.
	send := req
	if !isWatch {
		send = req.WithContext(context.WithoutCancel(req.Context()))
	}
	resp, err := l.base.RoundTrip(send)
	if err != nil {
		return nil, err
	}
	if isWatch {
		body := &watched{link: l.link, ReadCloser: resp.Body, resource: path.Base(req.URL.Path), closed: make(chan struct{}), opened: time.Now()}
		l.mu.Lock()
		l.closers[body] = true
		l.mu.Unlock()
		resp.Body = body
	}
	time.Sleep(back)
	l.clock.Pass(nil)
	if lost || req.Context().Err() != nil {
		_ = resp.Body.Close()
		return nil, cmp.Or(req.Context().Err(), io.ErrUnexpectedEOF)
	}
	return resp, nil
}

// watched is the body of a watch.
type watched struct {
	*link
	io.ReadCloser
	resource string
	opened   time.Time
	closed   chan struct{}
	closing  sync.Once
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	w.clock.Pass(nil)
	if ends := w.isLate(); ends != nil {
		select {
		case <-ends:
		case <-w.closed:
		}
	}
	if w.isCut() {
		return 0, errCut
	}
	return n, err
}

func (w *watched) Close() error {
	w.mu.Lock()
	delete(w.closers, w)
	w.mu.Unlock()
	w.closing.Do(func() { close(w.closed) })
	return w.ReadCloser.Close()
}

// isLate returns a channel that is closed when the watch goes on, or nil if it does.
func (w *watched) isLate() chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.late != w.resource || !w.lateOpened.IsZero() && w.opened.After(w.lateOpened) {
		return nil
	}
	return w.lateEnds
}

func (l *link) isCut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut
}

// set changes the link, and ends its watches if it is cut.
func (l *link) set(change func(l *link)) {
	l.mu.Lock()
	change(l)
	cut := l.cut
	l.mu.Unlock()
	if cut {
		l.endWatches()
	}
}

func (l *link) endWatches() {
	l.mu.Lock()
	open := slices.Collect(maps.Keys(l.closers))
	l.mu.Unlock()
	for _, c := range open {
		_ = c.Close()
	}
}

// simulation is a group whose members suffer from faults.
type simulation struct {
	t      *testing.T
	r      *rand.Rand
	server *apitest.Server
	client coreclient.ConfigMapInterface // without faults
	log    shardhistory.Log
	shards int
	// tasks is the number of objects that informers and controllers of the members work on. If it is 0, the members have none, and
	// work in their shards at random.
	tasks   int
	grants  int64 // of all maps
	moved   int64 // those to another member than the last owner
	former  map[int]protocol.Member
	mu      sync.Mutex // for texts
	texts   []string   // of the map, as they were before
	members []*simulated
	faults  int
	said    []string
}

// simulated is a member of a simulation.
type simulated struct {
	*running
	clock   *clocktest.Clock
	link    *link
	objects coreclient.ConfigMapInterface
	frozen  atomic.Bool
	crashed atomic.Bool
	left    bool
	workers sync.WaitGroup
}

func (s *simulation) say(format string, args ...any) {
	s.said = append(s.said, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

func (s *simulation) add() {
	c := &clocktest.Clock{Rate: s.r.Float64()*0.02 - 0.01}
	m := &simulated{clock: c, link: &link{clock: c, r: rand.New(rand.NewPCG(s.r.Uint64(), 0)), closers: map[io.Closer]bool{}}}
	wrap := func(rt http.RoundTripper) http.RoundTripper { return &transport{m.link, rt} }
	config := rest.CopyConfig(s.server.RESTConfig())
	config.Wrap(wrap)
	config.QPS = -1
	prepare := s.r.IntN(2) == 0
	delay := time.Duration(s.r.IntN(3000)) * time.Millisecond
	core, err := coreclient.NewForConfig(config)
	if err != nil {
		s.t.Fatal(err)
	}
	m.objects = core.ConfigMaps("default")
	var run func(ctx context.Context)
	m.running = startBound(s.t, s.server, func(c *Config) {
		c.REST, c.clock, c.Shards, c.Identity, c.Key = config, m.clock, s.shards, "m"+strconv.Itoa(len(s.members)), shard.ByName()
		if prepare {
			c.Prepare = func(ctx context.Context, _ int) error {
				select {
				case <-time.After(delay):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
	}, func(g *Group) {
		if s.tasks > 0 {
			run = s.control(m, g, config)
		}
	})
	s.members = append(s.members, m)
	seed := s.r.Uint64()
	if s.tasks > 0 {
		ctx, cancel := context.WithCancel(s.t.Context())
		m.workers.Go(func() { run(ctx) })
		m.workers.Go(func() { <-m.done; cancel() })
	} else {
		m.workers.Go(func() { s.work(m, rand.New(rand.NewPCG(seed, 1))) })
	}
	s.say("%s joins, its clock is %.2f %% fast", m.Name(), c.Rate*100)
}

// control returns a function that runs an informer and a controller of a member.
func (s *simulation) control(m *simulated, g *Group, config *rest.Config) func(context.Context) {
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), REST: config, Source: g.Source(), Partial: true,
		Tweak: func(o *metav1.ListOptions) { o.LabelSelector = "work" },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	shards, err := Bind(g, informer)
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := controller.New(controller.Config[cache.ObjectName]{
		Name: "tasks", Workers: 4, Owner: g,
		Sources: []controller.Source[cache.ObjectName]{controller.For(informer), shards},
		Reconcile: func(ctx context.Context, key cache.ObjectName) (controller.Result, error) {
			in, _ := g.ShardOfName(key.Namespace, key.Name)
			epoch, _ := Epoch(ctx)
			if !s.act(ctx, m, in, epoch) {
				return controller.Result{}, ctx.Err()
			}
			obj, found, _ := informer.View(ShardID(in)).GetByKey(key.String())
			task, _ := obj.(*corev1.ConfigMap)
			if !found || task.Data["have"] == task.Data["want"] {
				return controller.Result{}, nil
			}
			if epochOf(task) > epoch {
				return controller.Result{}, ErrLaterOwner
			}
			time.Sleep(10 * time.Millisecond)
			if !s.act(ctx, m, in, epoch) {
				return controller.Result{}, ctx.Err()
			}
			task = task.DeepCopy()
			task.Data["have"], task.Data["epoch"] = task.Data["want"], strconv.FormatInt(epoch, 10)
			_, err := m.objects.Update(ctx, task, metav1.UpdateOptions{})
			return controller.Result{}, err
		},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return func(ctx context.Context) {
		var all sync.WaitGroup
		all.Go(func() { informer.RunWithContext(ctx) })
		if err := c.Run(ctx); err != nil {
			s.t.Error(err)
		}
		all.Wait()
	}
}

// act notes that a member works in a shard, if it still may.
func (s *simulation) act(ctx context.Context, m *simulated, shard int, epoch int64) bool {
	m.clock.Pass(nil)
	if ctx.Err() != nil {
		return false
	}
	s.log.Act(shardhistory.Act{At: time.Now(), Member: m.Name(), Shard: shard, Epoch: epoch})
	return true
}

// change changes tasks until ctx ends. Sometimes one is deleted, and another of its name is created.
func (s *simulation) change(ctx context.Context, r *rand.Rand) {
	for n := 1; ctx.Err() == nil; n++ {
		time.Sleep(200 * time.Millisecond)
		task := task(r.IntN(s.tasks), n)
		if r.IntN(20) == 0 {
			if err := s.server.Delete(s.t.Context(), task, metav1.DeleteOptions{}); err != nil {
				s.t.Error(err)
			}
			if _, err := s.server.Create(s.t.Context(), task); err != nil {
				s.t.Error(err)
			}
			continue
		}
		patch := fmt.Sprintf(`{"data":{"want":"%d"}}`, n)
		if _, err := s.client.Patch(s.t.Context(), task.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
			s.t.Error(err)
		}
	}
}

func task(i, want int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "task-" + strconv.Itoa(i), Namespace: "default", Labels: map[string]string{"work": ""}},
		Data:       map[string]string{"want": strconv.Itoa(want)},
	}
}

// work works in random shards of a member until that has ended.
func (s *simulation) work(m *simulated, r *rand.Rand) {
	for {
		time.Sleep(time.Duration(1+r.IntN(20)) * 50 * time.Millisecond)
		m.clock.Pass(m.done)
		select {
		case <-m.done:
			return
		default:
		}
		owned := m.Owned()
		if len(owned) == 0 {
			continue
		}
		// In several shards at once, as a controller does.
		for range min(len(owned), 4) {
			shard := owned[r.IntN(len(owned))]
			pause := time.Duration(r.IntN(50)) * time.Millisecond
			m.workers.Go(func() { s.reconcile(m, shard, pause) })
		}
	}
}

// reconcile writes the epoch to the object of a shard, at the version that was read, unless there is a greater one.
func (s *simulation) reconcile(m *simulated, shard int, pause time.Duration) {
	ctx, done, err := m.Begin(context.Background(), shard)
	if err != nil {
		return
	}
	defer done()
	epoch, _ := Epoch(ctx)
	if !s.act(ctx, m, shard, epoch) {
		return
	}
	cm, err := m.objects.Get(ctx, "shard-"+strconv.Itoa(shard), metav1.GetOptions{})
	if err != nil || epochOf(cm) > epoch {
		return
	}
	time.Sleep(pause)
	if !s.act(ctx, m, shard, epoch) {
		return
	}
	cm.Data = map[string]string{"epoch": strconv.FormatInt(epoch, 10)}
	_, _ = m.objects.Update(ctx, cm, metav1.UpdateOptions{})
}

func epochOf(cm *corev1.ConfigMap) int64 {
	epoch, _ := strconv.ParseInt(cm.Data["epoch"], 10, 64)
	return epoch
}

// record adds every version of the objects to the log.
func (s *simulation) record(ctx context.Context) {
	w, err := s.client.Watch(ctx, metav1.ListOptions{ResourceVersion: s.server.ResourceVersion()})
	if err != nil {
		s.t.Error(err)
		return
	}
	for event := range w.ResultChan() {
		cm, ok := event.Object.(*corev1.ConfigMap)
		if !ok || event.Type == watch.Bookmark {
			continue
		}
		want, have := cm.Data["want"], cm.Data["have"]
		switch {
		case event.Type == watch.Deleted:
			s.log.Wanted(cm.Name, "", time.Now())
		case want != have:
			s.log.Wanted(cm.Name, want, time.Now())
		default:
			s.log.Done(cm.Name, have, time.Now())
		}
		if event.Type == watch.Modified {
			s.log.Write(shardhistory.Write{Object: cm.Name + " " + string(cm.UID), Version: cm.ResourceVersion, Epoch: epochOf(cm)})
		}
	}
}

func (s *simulation) running() (out []*simulated) {
	for _, m := range s.members {
		select {
		case <-m.done:
		default:
			if !m.crashed.Load() && !m.left {
				out = append(out, m)
			}
		}
	}
	return out
}

// fault does something to the group.
func (s *simulation) fault() {
	running := s.running()
	if len(running) < 2 || len(running) < 5 && s.r.IntN(3) == 0 {
		s.add()
		return
	}
	m := running[s.r.IntN(len(running))]
	seconds := func(most int) time.Duration { return time.Duration(s.r.IntN(most*1000)) * time.Millisecond }
	s.faults++
	switch n := s.r.IntN(100); {
	case n < 12:
		s.say("%s crashes", m.Name())
		m.crashed.Store(true)
		m.link.set(func(l *link) { l.cut = true })
		m.cancel()
	case n < 24:
		d := seconds(25)
		s.say("%s is frozen for %v", m.Name(), d)
		if m.frozen.Load() {
			return
		}
		m.frozen.Store(true)
		m.clock.Stop()
		time.AfterFunc(d, func() { m.clock.Continue(); m.frozen.Store(false) })
	case n < 30:
		d := seconds(25)
		s.say("the machine of %s is suspended for %v", m.Name(), d)
		if m.frozen.Load() {
			return
		}
		m.frozen.Store(true)
		m.clock.Stop()
		time.AfterFunc(d, func() { m.clock.Wake(d); m.frozen.Store(false) })
	case n < 42:
		d := seconds(20)
		s.say("%s has no network for %v", m.Name(), d)
		m.link.set(func(l *link) { l.cut = true })
		time.AfterFunc(d, func() { m.link.set(func(l *link) { l.cut = m.crashed.Load() }) })
	case n < 50:
		d := seconds(20)
		s.say("requests of %s are dropped for %v", m.Name(), d)
		m.link.set(func(l *link) { l.silent = true })
		time.AfterFunc(d, func() { m.link.set(func(l *link) { l.silent = false }) })
	case n < 60:
		d, delay := seconds(30), seconds(6)
		s.say("requests of %s take up to %v for %v", m.Name(), delay, d)
		m.link.set(func(l *link) { l.delay = delay + 1 })
		time.AfterFunc(d, func() { m.link.set(func(l *link) { l.delay = 0 }) })
	case n < 68:
		d := seconds(30)
		s.say("half of the answers to %s are lost for %v", m.Name(), d)
		m.link.set(func(l *link) { l.lost = 0.5 })
		time.AfterFunc(d, func() { m.link.set(func(l *link) { l.lost = 0 }) })
	case n < 84:
		s.say("%s leaves", m.Name())
		m.left = true
		m.cancel()
	case n < 88:
		s.say("the lease of %s is deleted", m.Name())
		_ = s.server.Delete(s.t.Context(), lease(m.Name()), metav1.DeleteOptions{})
	case n < 89:
		s.say("the map is emptied")
		s.edit(func(string) string { return "" })
	case n < 90:
		texts := s.earlier()
		if len(texts) == 0 {
			return
		}
		s.say("an earlier map is written back, and deleted some seconds later")
		earlier := texts[s.r.IntN(len(texts))]
		s.edit(func(string) string { return earlier })
		time.AfterFunc(seconds(15), s.deleteMap)
	case n < 91:
		s.say("the map is deleted")
		s.deleteMap()
	case n < 92:
		s.say("what was is compacted, and all watches end")
		s.server.Compact()
		for _, m := range s.members {
			m.link.endWatches()
		}
	case n < 94:
		d, resource := seconds(25), []string{"leases", "configmaps"}[s.r.IntN(2)]
		s.say("watches of %s bring %s nothing for %v", resource, m.Name(), d)
		ends := make(chan struct{})
		m.link.set(func(l *link) {
			if l.late == "" {
				l.late, l.lateEnds = resource, ends
				time.AfterFunc(d, func() { close(ends); m.link.set(func(l *link) { l.late, l.lateEnds = "", nil }) })
			}
		})
	case n < 96:
		s.say("another coordinator takes over")
		s.usurp(m)
	default:
		d := seconds(12)
		s.say("the server is away for %v", d)
		for _, m := range s.members {
			m.link.set(func(l *link) { l.cut = true })
			time.AfterFunc(d, func() { m.link.set(func(l *link) { l.cut = m.crashed.Load() }) })
		}
	}
}

// earlier returns the texts of the map that there were.
func (s *simulation) earlier() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.texts
}

// edit writes something in place of the map.
func (s *simulation) edit(change func(text string) string) {
	client, err := coreclient.NewForConfig(s.server.RESTConfig())
	if err != nil {
		s.t.Fatal(err)
	}
	cm, err := client.ConfigMaps("default").Get(s.t.Context(), "pods", metav1.GetOptions{})
	if err != nil {
		return
	}
	cm.Data = map[string]string{mapKey: change(cm.Data[mapKey])}
	_, _ = client.ConfigMaps("default").Update(s.t.Context(), cm, metav1.UpdateOptions{})
}

func (s *simulation) deleteMap() {
	_ = s.server.Delete(s.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "pods", Namespace: "default"}}, metav1.DeleteOptions{})
}

// usurp makes a member the first coordinator, while the other one still believes to be.
func (s *simulation) usurp(m *simulated) {
	s.edit(func(text string) string {
		if texts := s.earlier(); len(texts) == 0 || text != texts[len(texts)-1] {
			return text // one that was edited
		}
		r, err := protocol.Parse([]byte(text))
		if err != nil {
			s.t.Error(err)
			return text
		}
		r.Seq++
		r.Coordinators = append([]protocol.Member{m.name}, slices.DeleteFunc(r.Coordinators, func(n protocol.Member) bool { return n == m.name })...)
		return string(r.Bytes())
	})
}

// count counts the grants of shards, and checks that each map follows from the one before. What was written by hand is passed over, and
// no member may grant anything by it.
func (s *simulation) count(ctx context.Context) {
	client, err := coreclient.NewForConfig(s.server.RESTConfig())
	if err != nil {
		s.t.Error(err)
		return
	}
	w, err := client.ConfigMaps("default").Watch(ctx, metav1.ListOptions{ResourceVersion: s.server.ResourceVersion(), FieldSelector: "metadata.name=pods"})
	if err != nil {
		s.t.Error(err)
		return
	}
	var last, restored *revision
	known, newest := map[string]bool{}, ""
	for event := range w.ResultChan() {
		cm, ok := event.Object.(*corev1.ConfigMap)
		if !ok || event.Type == watch.Bookmark || event.Type == watch.Deleted {
			continue
		}
		text := cm.Data[mapKey]
		if text == "" {
			continue
		}
		r, err := readMap(cm)
		if err != nil {
			s.t.Errorf("the map is not valid: %v", err)
			return
		}
		if known[text] {
			switch {
			case text == newest:
				restored = nil
			case r.Unproven: // as good as a new one: it grants nothing before all members follow it
				restored, last = nil, nil
			default:
				restored = r
			}
			continue
		}
		if restored != nil && r.ID == restored.ID {
			if !slices.Equal(r.Shards, restored.Shards) {
				s.t.Error("shards were granted by a map that was written back")
			}
			continue
		}
		restored, known[text], newest = nil, true, text
		s.mu.Lock()
		s.texts = append(s.texts, text)
		s.mu.Unlock()
		for i, sh := range r.Shards {
			if last != nil && last.ID == r.ID {
				s.grants += sh.Epoch - last.Shards[i].Epoch
			}
			if sh.Owner != "" {
				if s.former[i] != "" && s.former[i] != sh.Owner {
					s.moved++
				}
				s.former[i] = sh.Owner
			}
		}
		if last != nil && last.ID == r.ID {
			if err := r.Follows(last.Map); err != nil {
				s.t.Error(err)
			}
		} else if last != nil && r.Base < last.MaxEpoch() {
			s.t.Errorf("a new map begins at epoch %d, and the last one had %d", r.Base, last.MaxEpoch())
		}
		last = r
	}
}

// owned checks that every shard has one owner.
func (s *simulation) owned() {
	owners := map[int][]string{}
	for _, m := range s.members {
		for _, shard := range m.Owned() {
			owners[shard] = append(owners[shard], m.Name())
		}
	}
	for shard := range s.shards {
		if len(owners[shard]) != 1 {
			s.t.Errorf("shard %d has the owners %v", shard, owners[shard])
		}
	}
}

// totals is what simulations have done.
type totals struct {
	simulations, faults int
	grants, moved       int64
	acts, writes, done  int
}

func (t *totals) add(o totals) {
	t.simulations += o.simulations
	t.faults += o.faults
	t.grants += o.grants
	t.moved += o.moved
	t.acts += o.acts
	t.writes += o.writes
	t.done += o.done
}

func (t totals) String() string {
	return fmt.Sprintf("%d simulations, %d faults, %d grants of shards, %d of them to another member than before, %d acts, %d writes, %d changes reconciled", t.simulations, t.faults, t.grants, t.moved, t.acts, t.writes, t.done)
}

// simulate runs a group for some minutes of virtual time.
func simulate(t *testing.T, seed uint64) (did totals) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		core, err := coreclient.NewForConfig(server.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		s := &simulation{t: t, r: rand.New(rand.NewPCG(seed, 0)), server: server, client: core.ConfigMaps("default"), former: map[int]protocol.Member{}}
		if s.shards = 8 + s.r.IntN(57); s.r.IntN(4) == 0 {
			s.shards *= 16
		}
		for i := range s.shards {
			if _, err := server.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "shard-" + strconv.Itoa(i), Namespace: "default"}}); err != nil {
				t.Fatal(err)
			}
		}
		if s.r.IntN(4) == 0 {
			s.tasks = 200
		}
		recording, stopRecording := context.WithCancel(t.Context())
		var recorder sync.WaitGroup
		recorder.Go(func() { s.record(recording) })
		recorder.Go(func() { s.count(recording) })
		changing, stopChanging := context.WithCancel(t.Context())
		defer stopChanging()
		if s.tasks > 0 {
			time.Sleep(time.Second) // for the recorder
			for i := range s.tasks {
				if _, err := server.Create(t.Context(), task(i, 0)); err != nil {
					t.Fatal(err)
				}
			}
			r := rand.New(rand.NewPCG(seed, 2))
			recorder.Go(func() { s.change(changing, r) })
		}
		for range 3 {
			s.add()
		}
		time.Sleep(20 * time.Second)
		for began := time.Now(); time.Since(began) < 5*time.Minute; {
			time.Sleep(time.Duration(s.r.IntN(6000)) * time.Millisecond)
			s.fault()
		}
		// Everything is repaired. The shards of all that have crashed or were lost get an owner.
		s.add()
		s.say("repaired")
		time.Sleep(60 * time.Second)
		stopChanging()
		time.Sleep(10 * time.Second)
		s.owned()
		for _, m := range s.members {
			m.cancel()
		}
		for _, m := range s.members {
			<-m.done
			m.workers.Wait()
			if m.err != nil && !errors.Is(m.err, ErrLost) && !m.crashed.Load() {
				t.Errorf("%s: Run returned %v", m.Name(), m.err)
			}
		}
		time.Sleep(time.Second)
		stopRecording()
		recorder.Wait()
		acts, writes := s.log.Size()
		did = totals{1, s.faults, s.grants, s.moved, acts, writes, len(s.log.Ages())}
		for _, err := range s.log.Check() {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("seed %d\n%s", seed, strings.Join(s.said, "\n"))
		}
	})
	return did
}

func TestSimulation(t *testing.T) {
	seeds := []uint64{*simSeed}
	if *simSeed == 0 {
		seeds = nil
		n := cmp.Or(*simSeeds, testsize.Of(4, 1))
		for range n {
			seeds = append(seeds, rand.Uint64()|1)
		}
	}
	var all totals
	began := time.Now()
	for _, seed := range seeds {
		ok := t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { all.add(simulate(t, seed)) })
		if !ok {
			break
		}
		if *simSeeds > 0 && all.simulations%20 == 0 {
			fmt.Printf("%v, %v\n", all, time.Since(began).Round(time.Second))
		}
	}
	t.Log(all)
}
