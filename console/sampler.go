//go:build !vedette_noconsole

package console

import (
	"math"
	"sync"
	"time"
)

const (
	// ringSize is how many samples are kept: a quarter of an hour, one a second.
	ringSize = 900
	chartAge = 15 * time.Minute
	// recentSize is over how many readings rates are taken, and recentAge how old the oldest of them may be.
	recentSize = 6
	recentAge  = 15 * time.Second
	// tick is how often it is sampled while somebody looks, and background how often by Run.
	tick       = time.Second
	background = 5 * time.Second
	// maxSeries is how many lines there are, over all charts. Further ones are left out, and the page says so.
	maxSeries = 256
)

// sampler takes readings and keeps what the charts show. It has no goroutine: those who look, and Run, call it.
type sampler struct {
	reader *reader

	// mu guards what follows.
	mu sync.Mutex
	// recent are the last readings, the newest last. They are not changed any more.
	recent []*reading
	// times and the values of all series are rings with the same places; next is the place of the next sample.
	times  []time.Time
	next   int
	series map[seriesID]*series
	// left tells that there are more series than are kept.
	left int
}

type seriesID struct{ chart, name string }

// series is one line of a chart. A sample that it has no value for is NaN.
type series struct {
	values [ringSize]float32
	// last is the place in the order of samples of its last value, so that a line that has ended makes room.
	last time.Time
}

func newSampler(reader *reader) *sampler {
	return &sampler{reader: reader, series: map[seriesID]*series{}}
}

// look returns the newest readings, after it has taken one if the newest is older than a tick.
func (s *sampler) look() (now, before *reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeIfOld(time.Now(), tick)
	return s.ends()
}

// sample takes a reading if the newest is older than most of a time.
func (s *sampler) sample(every time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeIfOld(time.Now(), every)
}

func (s *sampler) takeIfOld(at time.Time, every time.Duration) {
	// A tenth less, so that a ticker that is early does not leave a gap.
	if n := len(s.recent); n == 0 || at.Sub(s.recent[n-1].at) >= every*9/10 {
		s.take(at)
	}
}

// ends are the newest reading and the oldest that rates are taken from, which is nil if there is only one.
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
	// After a pause, what was read before says nothing about now.
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

// makeRoom tells whether there is room for one more series. Those that have had no value for as long as charts go back make room.
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

// places are those in the ring that are not older than a time, oldest first.
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

// line are the values of a series in the last time, as a sparkline wants them.
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
