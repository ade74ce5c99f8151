package record

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// heap is how much is in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestADeadSinkDoesNotCostMemory(t *testing.T) {
	const limit = 4 << 20
	events := 1_000_000
	if raceEnabled {
		events /= 50
	}
	blocked := make(chan struct{})
	sink := &memorySink{fail: func(string, *corev1.Event) error { <-blocked; return errDown }}
	b, recorder := started(t, Config{}, sink)
	recorder.Event(podNamed("a"), "Normal", "Began", "now")
	before, goroutines := heap(), runtime.NumGoroutine()
	most, pod := goroutines, podNamed("a")
	for i := range events {
		recorder.Event(pod, "Normal", "Pulled", "image")
		if i%10_000 == 0 {
			most = max(most, runtime.NumGoroutine())
		}
	}
	after := heap()
	t.Logf("%d events: the heap went from %d to %d KB", events, before>>10, after>>10)
	if after > before+limit {
		t.Errorf("the heap grew by %d KB", (after-before)>>10)
	}
	if most != goroutines {
		t.Errorf("there were %d goroutines, and then %d", goroutines, most)
	}
	if s := b.Stats(); s.Recorded != uint64(events)+1 || s.Waiting != 1000 {
		t.Errorf("got %+v", s)
	}
	close(blocked)
	b.Shutdown()
	checkSum(t, b.Stats())
}

// However long messages are, and however many objects there are, a correlator does not remember more.
func TestACorrelatorDoesNotCostMemory(t *testing.T) {
	const limit = 12 << 20
	events := 8_000
	if raceEnabled {
		events /= 10
	}
	correlator := NewEventCorrelatorWithOptions(CorrelatorOptions{})
	long := strings.Repeat("x", maxMessage)
	before := heap()
	for i := range events {
		event := eventAbout(fmt.Sprint("pod-", i/10), "R", fmt.Sprint(i, long), podNamed("a").CreationTimestamp.Time)
		if _, err := correlator.EventCorrelate(event); err != nil {
			t.Fatal(err)
		}
	}
	after := heap()
	t.Logf("the heap went from %d to %d KB", before>>10, after>>10)
	if after > before+limit {
		t.Errorf("the heap grew by %d KB", (after-before)>>10)
	}
	runtime.KeepAlive(correlator)
}
