//go:build !vedette_noconsole

package console

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/workqueue"
)

func TestTheRingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSampler(newReader(&Config{Informers: []Informers{&counted{}}}))
		for range ringSize + 300 {
			s.look()
			time.Sleep(time.Second)
		}
		h, _ := s.history(time.Time{})
		if len(h.Times) != ringSize || !slices.IsSorted(h.Times) || len(s.recent) != recentSize {
			t.Errorf("%d samples, %d readings", len(h.Times), len(s.recent))
		}
		for _, c := range h.Charts {
			for _, line := range c.Series {
				if len(line.Values) != len(h.Times) {
					t.Errorf("%s has %d values", line.Name, len(line.Values))
				}
			}
		}
		// After a pause, what was counted before it makes no rate.
		time.Sleep(time.Hour)
		now, before := s.look()
		if before != nil || now == nil {
			t.Error("a rate is taken over the pause")
		}
	})
}

// many are informers whose names change all the time.
type many struct{ round int }

func (m *many) Informers() map[string]cache.StateReader {
	m.round++
	all := map[string]cache.StateReader{}
	for i := range 50 {
		all[fmt.Sprintf("%d-%d", m.round/20, i)] = &counted{}
	}
	return all
}

func TestSeriesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSampler(newReader(&Config{Informers: []Informers{&many{}}}))
		left := 0
		for range 200 {
			s.look()
			left = max(left, s.left)
			if len(s.series) > maxSeries {
				t.Fatalf("%d series", len(s.series))
			}
			time.Sleep(10 * time.Second)
		}
		if left == 0 {
			t.Error("no series was left out, so that nothing was tested")
		}
		if s.left != 0 && len(s.series) < maxSeries {
			t.Errorf("%d series were left out, although there is room", s.left)
		}
	})
}

func TestSparks(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		values []float32
		points string
	}{
		{nil, ""}, {[]float32{1}, ""}, {[]float32{nan, 1}, ""},
		{[]float32{0, 0}, "0.0,22.0 120.0,22.0"},
		{[]float32{0, nan, 5}, "0.0,22.0 120.0,2.0"},
	} {
		if got := spark(c.values); got != c.points {
			t.Errorf("%v: %q, want %q", c.values, got, c.points)
		}
	}
}

func TestQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Int64Range(0, int64(20*time.Minute)), 1, 200).Draw(t, "durations")
		var r Reconciles
		m := r.NewControllerMetrics("a", 1)
		for _, d := range all {
			m.Began()
			m.Ended(controller.OutcomeSuccess, time.Duration(d))
		}
		var h, zero histogram
		if !r.read("a", &h) {
			t.Fatal("not measured")
		}
		diff, total := h.since(&zero)
		if total != uint64(len(all)) {
			t.Fatalf("%d of %d", total, len(all))
		}
		slices.Sort(all)
		for _, q := range []float64{0.5, 0.99, 1} {
			exact := time.Duration(all[int(math.Ceil(q*float64(len(all))))-1])
			got := diff.quantile(q, total)
			if got < exact-1 || float64(got) > 1.2*float64(max(exact, firstEnds)) {
				t.Fatalf("the %v quantile is %v, exactly %v", q, got, exact)
			}
		}
	})
}

func TestReconcilesPassOn(t *testing.T) {
	next := &noted{}
	r := &Reconciles{Next: next}
	m := r.NewControllerMetrics("a", 3)
	m.Began()
	m.Ended(controller.OutcomePanic, time.Second)
	again := r.NewControllerMetrics("a", 1) // one of the same name that begins before the other has ended
	m.Close()
	var h histogram
	if !r.read("a", &h) {
		t.Error("the end of one is the end of another")
	}
	again.Close()
	if r.read("a", &h) || r.read("b", &h) || (*Reconciles)(nil).read("a", &h) {
		t.Error("something is measured that is not there")
	}
	if got := strings.Join(next.calls, " "); got != "new-a-3 began panic-1s new-a-1 close close" {
		t.Errorf("passed on: %s", got)
	}
	if bucket(0) != 0 || bucket(1000*time.Hour) != buckets-1 || bucket(-1) != 0 {
		t.Error("a duration that has no place")
	}
}

type noted struct{ calls []string }

func (n *noted) NewControllerMetrics(name string, workers int) controller.ControllerMetrics {
	n.calls = append(n.calls, fmt.Sprintf("new-%s-%d", name, workers))
	return n
}
func (n *noted) Began() { n.calls = append(n.calls, "began") }
func (n *noted) Ended(o controller.Outcome, took time.Duration) {
	n.calls = append(n.calls, fmt.Sprintf("%s-%s", o, took))
}
func (n *noted) Close() { n.calls = append(n.calls, "close") }

// A queue of very many keys is not looked into all the time.
func TestSparing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		r := newReader(&Config{})
		at := time.Now()
		for range 10 {
			w := workReading{name: "a"}
			r.lookInto(&w, func(limit int) (s workqueue.Snapshot[string]) {
				looks++
				time.Sleep(20 * time.Millisecond)
				s.QueuedCount = 5
				return s
			}, at)
			if w.depth != 5 {
				t.Errorf("depth %d", w.depth)
			}
			at = at.Add(time.Second)
		}
		// 20 ms are worth four seconds.
		if looks != 3 {
			t.Errorf("%d looks in ten seconds", looks)
		}
	})
}
