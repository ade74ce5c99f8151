package reconcile

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vedette.dev/bench/harness"
)

// The workloads must notice a side that does not keep its word. Each test below breaks one promise.

func TestPhaseNotices(t *testing.T) {
	for name, tt := range map[string]struct {
		say  func(p *phase)
		want string
	}{
		"a key that is never reconciled":  {func(p *phase) { p.saw(0, 11) }, "1 keys were not reconciled"},
		"a reconcile before the change":   {func(p *phase) { p.saw(0, 11); p.saw(1, 2) }, "1 keys were not reconciled"},
		"a second reconcile":              {func(p *phase) { p.saw(0, 11); p.saw(1, 12); p.saw(1, 12) }, "object 1 was reconciled 2 times, want 1"},
		"two reconciles for one change":   {func(p *phase) { p.saw(0, 1); p.saw(0, 11); p.saw(1, 12) }, "object 0 was reconciled 2 times, want 1"},
		"a reconcile of what is the same": {func(p *phase) { p.saw(0, 11); p.saw(2, 3); p.saw(1, 12) }, "object 2 was reconciled 1 times, want 0"},
		"an older version":                {func(p *phase) { p.saw(0, 11); p.saw(0, 1) }, "saw version 1 after one that saw version 11"},
		"a version of another client":     {func(p *phase) { p.saw(0, 11); p.saw(1, 13) }, "saw version 13, want 12"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPhase(3, []object{{index: 0, number: 11}, {index: 1, number: 12}})
			tt.say(p)
			_ = p.wait(time.Millisecond)
			wantError(t, p.check(), tt.want)
		})
	}
}

func TestPhaseIsDoneWhenAllIsWell(t *testing.T) {
	p := newPhase(3, []object{{index: 0, number: 11}, {index: 1, number: 12}})
	p.saw(1, 12)
	select {
	case <-p.done:
		t.Error("done before the last key")
	default:
	}
	p.saw(0, 11)
	if err := errors.Join(p.wait(time.Hour), p.check()); err != nil {
		t.Error(err)
	}
}

func TestCrewNoticesKeysOfNoObject(t *testing.T) {
	for _, key := range []string{"", "object", "object-", "namespace-0/object-3", "object-99999999999999999999"} {
		c := &crew{}
		c.now.Store(newPhase(3, make([]object, 3)))
		c.reconcile(key, nil)
		wantError(t, c.now.Load().check(), "not an object")
	}
}

// toy is a side with one worker, which does all as it should until it is told of the change that goes wrong.
type toy struct {
	server *server
	crew   *crew
	store  []*object
	wrong  func(t *toy, o *object) error
}

func (t *toy) run(ctx context.Context) error {
	t.store = append(t.store, t.server.objects...)
	for _, o := range t.store {
		t.reconcile(o)
	}
	watch, err := t.server.Watch(listOptions)
	if err != nil {
		return err
	}
	for change := 0; ; change++ {
		select {
		case <-ctx.Done():
			return nil
		case event := <-watch.ResultChan():
			o, do := event.Object.(*object), (*toy).right
			if change == 7 && t.wrong != nil {
				do = t.wrong
			}
			if err := do(t, o); err != nil {
				return err
			}
		}
	}
}

func (t *toy) right(o *object) error {
	t.store[o.index] = o
	t.reconcile(o)
	return nil
}

func (t *toy) reconcile(o *object) {
	t.crew.reconcile(o.Namespace+"/"+o.Name, func() (any, bool, error) {
		found := t.store[o.index]
		return found, found != nil, nil
	})
}

var errBroken = errors.New("this side is broken")

// breaks is what may go wrong with a change, and what is said then.
var breaks = map[string]struct {
	wrong func(t *toy, o *object) error
	want  string
}{
	"lost": {func(t *toy, o *object) error { t.store[o.index] = o; return nil }, "1 keys were not reconciled after their change"},
	"early": {func(t *toy, o *object) error {
		t.reconcile(o)
		t.store[o.index] = o
		return nil
	}, "1 keys were not reconciled after their change"},
	"twice": {func(t *toy, o *object) error { return errors.Join(t.right(o), t.right(o)) }, "was reconciled 2 times, want 1"},
	"another too": {func(t *toy, o *object) error {
		t.reconcile(t.server.objects[(int(o.index)+1)%len(t.server.objects)])
		return t.right(o)
	}, "was reconciled 2 times, want 1"},
	"older": {func(t *toy, o *object) error {
		_ = t.right(o)
		return t.right(t.server.objects[o.index])
	}, "after one that saw version"},
	"not in the store": {func(t *toy, o *object) error {
		t.store[o.index] = nil
		t.reconcile(o)
		return nil
	}, "is not in the store"},
	"fails": {func(*toy, *object) error { return errBroken }, errBroken.Error()},
}

func TestUpdatesNoticeABrokenSide(t *testing.T) {
	for name, tt := range breaks {
		t.Run(name, func(t *testing.T) {
			u := trial[*updates](t, newUpdates(2, true), tt.wrong)
			u.phaseTimeout = 50 * time.Millisecond
			u.Run()
			_, err := u.Finish()
			wantError(t, err, tt.want)
		})
	}
}

func TestLatencyNoticesABrokenSide(t *testing.T) {
	for name, tt := range breaks {
		t.Run(name, func(t *testing.T) {
			l := trial[*latency](t, newLatency, tt.wrong)
			l.phaseTimeout = 50 * time.Millisecond
			l.Run()
			_, err := l.Finish()
			wantError(t, err, tt.want)
		})
	}
}

func TestTurnsNoticeABrokenSide(t *testing.T) {
	good := peers[recordsOn]
	defer func() { peers[recordsOn] = good }()
	peers[recordsOn] = func(s *server, c *crew) (side, error) {
		return &toy{server: s, crew: c, wrong: breaks["twice"].wrong}, nil
	}
	made, err := newTurns(turnsConfig{pairs: 1, changes: keys})(harness.Config{Scale: 0.001})
	if err != nil {
		t.Fatal(err)
	}
	made.Run()
	_, err = made.Finish()
	wantError(t, err, "was reconciled 2 times, want 1")
}

func TestASideInOrderIsNotComplainedAbout(t *testing.T) {
	for _, prepare := range []func(harness.Config) (harness.Trial, error){newInitial, newUpdates(2, true), newUpdates(2, false), newLatency} {
		one := trial[harness.Trial](t, prepare, nil)
		one.Run()
		if _, err := one.Finish(); err != nil {
			t.Errorf("%T: %v", one, err)
		}
	}
}

func TestInitialNoticesAKeyThatIsLost(t *testing.T) {
	i := trial[*initial](t, newInitial, nil)
	i.phaseTimeout = 50 * time.Millisecond
	i.server.objects = i.server.objects[:fewKeys-1]
	i.Run()
	_, err := i.Finish()
	wantError(t, err, "1 keys were not reconciled")
}

func TestASideThatDoesNotStartIsAnError(t *testing.T) {
	const name = "never starts"
	peers[name] = func(*server, *crew) (side, error) { return failing{}, nil }
	defer delete(peers, name)
	_, err := newUpdates(1, true)(harness.Config{Side: name, Scale: 0.001})
	wantError(t, err, errBroken.Error())
	_, err = newInitial(harness.Config{Side: "nobody", Scale: 0.001})
	wantError(t, err, `no side "nobody"`)
}

// What a side says when it is stopped counts, too, although all the work is done.
func TestASideThatFailsToStopIsAnError(t *testing.T) {
	i := trial[*initial](t, newInitial, nil)
	i.side = stopsBadly{i.side}
	i.Run()
	_, err := i.Finish()
	wantError(t, err, errBroken.Error())
}

type stopsBadly struct{ side }

func (s stopsBadly) run(ctx context.Context) error { return errors.Join(s.side.run(ctx), errBroken) }

type failing struct{}

func (failing) run(context.Context) error { return errBroken }

// trial prepares a workload on a toy.
func trial[T harness.Trial](t *testing.T, prepare func(harness.Config) (harness.Trial, error), wrong func(*toy, *object) error) T {
	t.Helper()
	const name = "toy"
	peers[name] = func(s *server, c *crew) (side, error) { return &toy{server: s, crew: c, wrong: wrong}, nil }
	defer delete(peers, name)
	made, err := prepare(harness.Config{Side: name, Scale: 0.001})
	if err != nil {
		t.Fatal(err)
	}
	return made.(T)
}

func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got error %v, want one with %q", err, part)
	}
}
