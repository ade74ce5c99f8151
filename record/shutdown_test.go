package record

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestShutdownWritesWhatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{fail: func(string, *corev1.Event) error { time.Sleep(100 * time.Millisecond); return nil }}
		b, recorder := started(t, Config{}, sink)
		for range 20 {
			recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		}
		b.Shutdown()
		if s := b.Stats(); s.Written != 20 || s.Listeners != 0 {
			t.Errorf("got %+v", s)
		}
		if e := sink.only(t); e.Count != 20 {
			t.Errorf("the count is %d", e.Count)
		}
	})
}

func TestShutdownDoesNotTakeForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{fail: func(string, *corev1.Event) error { time.Sleep(time.Second - time.Millisecond); return nil }}
		b, recorder := started(t, Config{}, sink)
		for range 20 {
			recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		}
		start := time.Now()
		b.Shutdown()
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("it took %v", took)
		}
		s := b.Stats()
		if s.Written != 6 || s.Dropped != 14 || s.Listeners != 0 || s.Waiting != 0 {
			t.Errorf("got %+v, want six in five seconds", s)
		}
		checkSum(t, s)
	})
}

func TestShutdownTwiceAndTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan struct{})
		sink := &memorySink{fail: func(string, *corev1.Event) error { time.Sleep(2 * time.Second); close(done); return nil }}
		b, recorder := started(t, Config{}, sink)
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				b.Shutdown()
				select {
				case <-done:
				default:
					t.Error("Shutdown returned while the sink was at work")
				}
			})
		}
		wg.Wait()
		b.Shutdown()
	})
}

// A sink that blocks for ever cannot be ended. Shutdown says so, and returns.
func TestShutdownWithASinkThatBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		sink := &memorySink{fail: func(string, *corev1.Event) error { <-release; return nil }}
		var log logBook
		b, recorder := started(t, Config{Logger: log.logger(0)}, sink)
		for range 3 {
			recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		}
		start := time.Now()
		b.Shutdown()
		if took := time.Since(start); took != 6*time.Second {
			t.Errorf("it took %v, want 6s", took)
		}
		wantText(t, strings.Join(log.lines(), "\n"), "did not return", "memorySink")
		if s := b.Stats(); s.Listeners != 1 {
			t.Errorf("got %+v", s)
		}
		close(release)
		synctest.Wait()
		if s := b.Stats(); s.Listeners != 0 || s.Dropped != 2 || s.Written != 1 {
			t.Errorf("got %+v, want one written and two dropped", s)
		}
	})
}

// hangingSink waits for the end of the context, as a request to a server that does not answer.
type hangingSink struct{ memorySink }

func (s *hangingSink) CreateWithContext(ctx context.Context, event *corev1.Event) (*corev1.Event, error) {
	_ = s.begin("create", event)
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s *hangingSink) PatchWithContext(ctx context.Context, event *corev1.Event, _ []byte) (*corev1.Event, error) {
	return s.CreateWithContext(ctx, event)
}

func TestAWriteWithoutAnAnswerIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &hangingSink{}
		b, recorder := started(t, Config{Tries: 3}, sink)
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		time.Sleep(30*3*time.Second + 20*time.Second)
		synctest.Wait()
		if s := b.Stats(); s.Failed != 1 || len(sink.called()) != 3 {
			t.Errorf("got %+v", s)
		}
		recorder.Event(podNamed("b"), "Normal", "Pulled", "image")
		synctest.Wait()
		start := time.Now()
		b.Shutdown() // with a write under way
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("Shutdown took %v", took)
		}
		if s := b.Stats(); s.Failed != 2 || s.Listeners != 0 {
			t.Errorf("got %+v", s)
		}
	})
}

func TestTheEndOfTheContextIsAShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b := NewBroadcaster(WithContext(ctx))
		sink := &memorySink{}
		w := b.StartRecordingToSink(sink)
		recorder := b.NewRecorder(coreScheme(), testSource)
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		cancel()
		<-w.ResultChan()
		synctest.Wait()
		recorder.Event(podNamed("a"), "Normal", "Pulled", "too late")
		if s := StatsOf(b); s.Written != 1 || s.Refused != 1 || s.Listeners != 0 {
			t.Errorf("got %+v", s)
		}
		b.Shutdown()
	})
}

func TestAListenerCanBeStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{fail: down}
		b, recorder := started(t, Config{}, sink)
		var heard int
		var self watch.Interface
		gate := make(chan struct{})
		self = b.StartEventWatcher(func(*corev1.Event) { <-gate; heard++; self.Stop() }) // from within
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		close(gate)
		<-self.ResultChan()
		if heard != 1 {
			t.Errorf("it heard %d events", heard)
		}
		synctest.Wait()
		if s := b.Stats(); s.Listeners != 1 || s.Dropped != 1 {
			t.Errorf("got %+v", s)
		}
		// The sink waits for its second try; Stop ends that.
		start := time.Now()
		b.mu.Lock()
		l := b.listeners[0]
		b.mu.Unlock()
		l.Stop()
		<-l.ResultChan()
		if time.Since(start) != 0 {
			t.Error("it waited")
		}
		recorder.Event(podNamed("a"), "Normal", "Pulled", "image")
		if s := b.Stats(); s.Listeners != 0 || s.Recorded != 3 || s.Dropped != 2 || s.Failed != 1 {
			t.Errorf("got %+v", s)
		}
	})
}

func TestManyRecordersWhileItShutsDown(t *testing.T) {
	sink := &memorySink{}
	b, recorder := started(t, Config{Queue: 50}, sink)
	var wg sync.WaitGroup
	begun := make(chan struct{}, 100)
	for i := range 8 {
		wg.Go(func() {
			for n := range 300 {
				recorder.Eventf(podNamed("a"), "Normal", "Pulled", "image %d of %d", n, i)
				if n == 5 {
					begun <- struct{}{}
				}
			}
		})
		wg.Go(func() {
			for range 10 {
				b.StartEventWatcher(func(*corev1.Event) {}).Stop()
			}
		})
	}
	<-begun
	b.Shutdown()
	wg.Wait()
	if s := b.Stats(); s.Listeners != 0 || s.Waiting != 0 || s.Recorded+s.Refused != 2400 {
		t.Errorf("got %+v", s)
	}
}
