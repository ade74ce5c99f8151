package cache

import (
	"context"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/internal/engine"
)

// eachInformer runs a test with an informer of pods from a stage, of each kind. The informer runs until stop is called, and ended
// is closed when its Run has returned.
func eachInformer(t *testing.T, s *stage, test func(t *testing.T, i SharedIndexInformer, start func() (stop func(), ended <-chan struct{}))) {
	kinds := map[string]func() SharedIndexInformer{
		"shared": func() SharedIndexInformer {
			return NewSharedIndexInformerWithOptions(s.lw(), &corev1.Pod{}, SharedIndexInformerOptions{})
		},
		"namespaced": func() SharedIndexInformer {
			lw := func(string) ListerWatcher { return s.lw() }
			return NewNamespacedInformer(lw, &corev1.Pod{}, []string{"ns"}, SharedIndexInformerOptions{})
		},
		"partitioned": func() SharedIndexInformer { return newOnePartition(t, s, SharedIndexInformerOptions{}) },
	}
	for name, make := range kinds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				i := make()
				test(t, i, func() (func(), <-chan struct{}) { return startInformer(t, i) })
			})
		})
	}
}

// newOnePartition returns an informer of pods from a stage that has one partition, p.
func newOnePartition(t *testing.T, s *stage, options SharedIndexInformerOptions) *informer {
	i := newDivided(options)
	_, err := i.engine.Change(engine.PartitionChange{
		Add:    []engine.PartitionConfig{{ID: "p"}},
		Router: func(string, *engine.Envelope) string { return "p" },
		Start:  []engine.StreamConfig{{Source: sourceOf(s.lw()), Partitions: []string{"p"}}},
	})
	mustNot(t, err)
	i.engine.Complete()
	return i
}

// startInformer runs an informer and waits until nothing moves. The informer runs until stop is called, and ended is closed when
// its Run has returned.
func startInformer(t *testing.T, i SharedIndexInformer) (stop func(), ended <-chan struct{}) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		i.RunWithContext(ctx)
	}()
	synctest.Wait()
	return cancel, done
}

func TestAHandlerMayBeRemovedWhileTheInformerEnds(t *testing.T) {
	s := newStage(pod("ns", "a", "1"))
	eachInformer(t, s, func(t *testing.T, i SharedIndexInformer, start func() (func(), <-chan struct{})) {
		gate := make(chan struct{})
		var handles []ResourceEventHandlerRegistration
		for range 3 {
			h, err := i.AddEventHandler(&diary{during: func(string) { <-gate }})
			mustNot(t, err)
			handles = append(handles, h)
		}
		stop, ended := start()
		stop()
		synctest.Wait()
		mustNot(t, i.RemoveEventHandler(handles[1]))
		synctest.Wait()
		wantEqual(t, "has ended while handlers are in their calls", isClosed(ended), false)
		close(gate)
		<-ended
		mustNot(t, i.RemoveEventHandler(handles[0]))
	})
}

func TestRunReturnsWhenRemovedHandlersHave(t *testing.T) {
	s := newStage(pod("ns", "a", "1"))
	eachInformer(t, s, func(t *testing.T, i SharedIndexInformer, start func() (func(), <-chan struct{})) {
		gate := make(chan struct{})
		var handle ResourceEventHandlerRegistration
		handle, err := i.AddEventHandler(&diary{during: func(string) {
			mustNot(t, i.RemoveEventHandler(handle)) // by itself, which must not wait for the call
			<-gate
		}})
		mustNot(t, err)
		stop, ended := start()
		stop()
		synctest.Wait()
		wantEqual(t, "has ended while a removed handler is in its call", isClosed(ended), false)
		close(gate)
		<-ended
		wantEqual(t, "handler ended", isClosed(handle.(interface{ ShutdownChan() <-chan struct{} }).ShutdownChan()), true)
	})
}

func TestAHandlerMayChangeThePartitionsWhileTheInformerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newOnePartition(t, newStage(pod("ns", "a", "1")), SharedIndexInformerOptions{})
		gate := make(chan struct{})
		_, err := i.AddEventHandler(&diary{during: func(string) {
			<-gate
			_, err := i.engine.Change(engine.PartitionChange{Add: []engine.PartitionConfig{{ID: "q"}}})
			wantEqual(t, "error", err, engine.ErrStopped)
		}})
		mustNot(t, err)
		stop, ended := startInformer(t, i)
		stop()
		synctest.Wait()
		close(gate)
		<-ended
	})
}

// A partition that is removed before the start has no notifications, and nothing waits for it.
func TestAHandlerSyncsWithoutAPartitionThatWasRemovedBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newOnePartition(t, newStage(pod("ns", "a", "1")), SharedIndexInformerOptions{})
		_, err := i.engine.Change(engine.PartitionChange{Add: []engine.PartitionConfig{{ID: "q"}}})
		mustNot(t, err)
		h, err := i.AddEventHandler(&diary{})
		mustNot(t, err)
		_, err = i.engine.Change(engine.PartitionChange{Remove: []string{"q"}})
		mustNot(t, err)
		stop, ended := startInformer(t, i)
		wantEqual(t, "handler synced", h.HasSynced(), true)
		stop()
		<-ended
		mustNot(t, ShutDownEventHandler(i, h))
	})
}

// What waits for the last call of a handler need not remove the handler first.
func TestTheHandlersOfAnInformerThatEndsHaveEnded(t *testing.T) {
	s := newStage(pod("ns", "a", "1"))
	eachInformer(t, s, func(t *testing.T, i SharedIndexInformer, start func() (func(), <-chan struct{})) {
		gate := make(chan struct{})
		stuck, err := i.AddEventHandler(&diary{during: func(string) { <-gate }})
		mustNot(t, err)
		quick, err := i.AddEventHandler(&diary{})
		mustNot(t, err)
		hasEnded := func(h ResourceEventHandlerRegistration) bool {
			return isClosed(h.(interface{ ShutdownChan() <-chan struct{} }).ShutdownChan())
		}
		stop, ended := start()
		wantEqual(t, "ended while the informer runs", hasEnded(quick), false)
		stop()
		synctest.Wait()
		wantEqual(t, "quick one has ended", hasEnded(quick), true)
		wantEqual(t, "stuck one has ended", hasEnded(stuck), false)
		close(gate)
		<-ended
		wantEqual(t, "stuck one has ended", hasEnded(stuck), true)
	})
}

// isOver reports whether the ShutdownChan of a handler is closed.
func isOver(handle ResourceEventHandlerRegistration) bool {
	return isClosed(handle.(interface{ ShutdownChan() <-chan struct{} }).ShutdownChan())
}

func TestTheShutdownChanOfAHandlerIsClosedWhenItsInformerHasEnded(t *testing.T) {
	eachInformer(t, newStage(pod("ns", "a", "1")), func(t *testing.T, i SharedIndexInformer, start func() (func(), <-chan struct{})) {
		gate := make(chan struct{})
		handle, err := i.AddEventHandler(&diary{during: func(string) { <-gate }})
		mustNot(t, err)
		stop, ended := start()
		wantEqual(t, "over while the informer runs", isOver(handle), false)
		stop()
		synctest.Wait()
		wantEqual(t, "over while the handler runs", isOver(handle), false)
		close(gate)
		<-ended
		wantEqual(t, "over", isOver(handle), true)
		mustNot(t, i.RemoveEventHandler(handle)) // which is too late, and no error
	})
}

func TestTheShutdownChanOfAHandlerThatEndsItsGoroutineIsClosed(t *testing.T) {
	s := newStage(pod("ns", "a", "1"))
	inBubble(t, s, SharedIndexInformerOptions{}, func(t *testing.T, i *informer) {
		handle := listen(t, i, &diary{during: func(string) { runtimeGoexit() }}, HandlerOptions{})
		wantEqual(t, "over", isOver(handle), true)
	})
}
