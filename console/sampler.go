//go:build !vedette_noconsole

package console

import (
	"math"
	"sync"
	"time"
)

const (
	// ringSize is the number of samples kept: a quarter of an hour, at one a second.
	ringSize = 900
	chartAge = 15 * time.Minute
	// recentSize is the number of readings that rates are computed from, recentAge the maximum age of the oldest of
	// them.
	recentSize = 6
	recentAge  = 15 * time.Second
	// tick is the sampling interval while there are viewers, background that of Run.
	tick       = time.Second
	background = 5 * time.Second
	// maxSeries is the maximum number of lines over all charts. Further ones are dropped, and the page says so.
	maxSeries = 256
)

// sampler takes readings and keeps the data of the charts. It has no goroutine: viewers and Run call it.
type sampler struct {
	reader *reader

	// mu guards the fields below.
	mu sync.Mutex
	// recent are the last readings, newest last. They are immutable.
	recent []*reading
	// times and the values of all series are rings with the same positions; next is the position of the next sample.
	times  []time.Time
	next   int
	series map[seriesID]*series
	// left is the number of series that are not kept.
	left int
}

type seriesID struct{ chart, name string }

// series is one line of a chart. The value of a missing sample is NaN.
type series struct {
	values [ringSize]float32
	// last is the time of the last value, so that a series that has ended can be dropped.
	last time.Time
}

func newSampler(reader *reader) *sampler {
	return &sampler{reader: reader, series: map[seriesID]*series{}}
}

// look returns the newest readings, and takes a new one first if the newest is older than a tick.
func (s *sampler) look() (now, before *reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeIfOld(time.Now(), tick)
	return s.ends()
}

// sample takes a reading if the newest is older than about every.
func (s *sampler) sample(every time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeIfOld(time.Now(), every)
}

func (s *sampler) takeIfOld(at time.Time, every time.Duration) {
	// A tenth less, so that an early tick does not leave a gap.
	if n := len(s.recent); n == 0 || at.Sub(s.recent[n-1].at) >= every*9/10 {
		s.take(at)
	}
}

// ends returns the newest reading and the oldest that rates are computed from, which is nil if there is only one.
func (s *sampler) ends() (now, before *reading) {
	n := len(s.recent)
	now = s.recent[n-1]
	if n > 1 {
		before = s.recent[0]
	}
	return now, before
}

func (s *sampler) take(at time.Time) {
	r := s.reader.read(at)
	var last *reading
	// After a pause, older readings do not describe the current rate.
	for len(s.recent) > 0 && (len(s.recent) == recentSize || at.Sub(s.recent[0].at) > recentAge) {
		s.recent = append([]*reading(nil), s.recent[1:]...)
	}
	if n := len(s.recent); n > 0 {
		last = s.recent[n-1]
	}
	s.recent = append(s.recent, r)
	s.keep(r, last)
}

// keep adds a sample to the rings.
func (s *sampler) keep(r, last *reading) {
	if s.times == nil {
		s.times = make([]time.Time, ringSize)
	}
	s.times[s.next] = r.at
	for _, one := range s.series {
		one.values[s.next] = float32(math.NaN())
	}
	s.left = 0
	for id, value := range samplesOf(r, last) {
		one := s.series[id]
		if one == nil && !s.makeRoom(r.at) {
			s.left++
			continue
		}
		if one == nil {
			one = newSeries()
			s.series[id] = one
		}
		one.values[s.next], one.last = value, r.at
	}
	s.next = (s.next + 1) % ringSize
}

// makeRoom reports whether there is room for one more series. It drops series without a value in the time span of the
// charts.
func (s *sampler) makeRoom(at time.Time) bool {
	if len(s.series) < maxSeries {
		return true
	}
	for id, one := range s.series {
		if at.Sub(one.last) > chartAge {
			delete(s.series, id)
		}
	}
	return len(s.series) < maxSeries
}

func newSeries() *series {
	s := &series{}
	for i := range s.values {
		s.values[i] = float32(math.NaN())
	}
	return s
}

// places returns the positions in the ring that are not older than back, oldest first.
func (s *sampler) places(now time.Time, back time.Duration) []int {
	var found []int
	for i := range s.times {
		place := (s.next + i) % ringSize
		if at := s.times[place]; !at.IsZero() && now.Sub(at) <= back {
			found = append(found, place)
		}
	}
	return found
}

// line returns the values of a series for a sparkline.
func (s *sampler) line(id seriesID, back time.Duration) []float32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.series[id]
	if one == nil || len(s.recent) == 0 {
		return nil
	}
	var values []float32
	for _, place := range s.places(s.recent[len(s.recent)-1].at, back) {
		values = append(values, one.values[place])
	}
	return values
}
