//go:build !vedette_noconsole

package console

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"vedette.dev/controller"
)

// chart is one chart of the charts view.
type chart struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// Unit is the unit of the values: "/s", "s", "B" or none.
	Unit string `json:"unit"`
	// Help describes in a sentence what is measured.
	Help string `json:"help"`
}

const (
	chartEvents  = "events"
	chartLag     = "lag"
	chartBehind  = "behind"
	chartDepth   = "depth"
	chartAges    = "ages"
	chartWork    = "work"
	chartTook    = "took"
	chartMemory  = "memory"
	totalOfChart = "total"
)

var charts = []chart{
	{chartEvents, "Events", "/s", "Watch events received, for each informer."},
	{chartLag, "Lag", "s", "Time from the receipt of a change until it is in the store: mean of each second."},
	{chartBehind, "Handlers behind", "s", "Age of a handler's oldest pending notification, or how long its current call has been running."},
	{chartDepth, "Queue depth", "", "Keys that wait for a worker."},
	{chartAges, "Queue age", "s", "Age of the oldest queued key."},
	{chartWork, "Reconciles", "/s", "Finished reconciles, and failures."},
	{chartTook, "Reconcile time", "s", "Duration of reconciles: median (p50) and 99th percentile (p99)."},
	{chartMemory, "Memory", "B", "Objects on the heap, and total memory of the process."},
}

// samplesOf returns the values of all lines at one moment. last is the previous reading, or nil.
func samplesOf(r, last *reading) map[seriesID]float32 {
	values := map[seriesID]float32{
		{chartMemory, "heap objects"}: float32(r.memory.heap),
		{chartMemory, "process"}:      float32(r.memory.total),
	}
	var apart time.Duration
	if last != nil {
		apart = r.at.Sub(last.at)
	}
	total, known := 0.0, false
	for i := range r.informers {
		now := &r.informers[i]
		if now.state.Phase == 0 && now.state.Events == 0 {
			continue
		}
		var before *informerReading
		if last != nil {
			before = last.informer(now.name)
		}
		v := viewOf(&now.state, before, r.at, apart)
		if events := v.perSecond(v.Events, v.old.Events); events >= 0 {
			values[seriesID{chartEvents, now.name}] = float32(events)
			total, known = total+events, true
		}
		if lag, ok := v.lag(); ok {
			values[seriesID{chartLag, now.name}] = float32(lag.Seconds())
		}
		behind := time.Duration(0)
		for _, h := range v.Handlers {
			behind = max(behind, age(h.Oldest, r.at), age(h.Busy, r.at))
		}
		values[seriesID{chartBehind, now.name}] = float32(behind.Seconds())
	}
	if known {
		values[seriesID{totalOfChart, chartEvents}] = float32(total)
	}
	sampleWorks(values, r, last, apart)
	return values
}

func sampleWorks(values map[seriesID]float32, r, last *reading, apart time.Duration) {
	total, known := 0.0, false
	for i := range r.works {
		w := &r.works[i]
		if w.controller && w.state.Phase == controller.PhaseIdle {
			continue
		}
		values[seriesID{chartDepth, w.name}] = float32(w.depth)
		if w.known {
			values[seriesID{chartAges, w.name}] = float32(age(w.oldest, r.at).Seconds())
		}
		v := workView{workReading: w, at: r.at}
		if last != nil {
			v.old, v.apart = last.work(w.name), apart
		}
		if v.old == nil || !w.controller || v.old.state.Reconciles > w.state.Reconciles {
			continue
		}
		ended, failed := v.reconciled()
		values[seriesID{chartWork, w.name}] = float32(float64(ended) / apart.Seconds())
		total, known = total+float64(ended)/apart.Seconds(), true
		if w.state.Failures > 0 {
			values[seriesID{chartWork, w.name + " failures"}] = float32(float64(failed) / apart.Seconds())
		}
		if !w.measured || !v.old.measured {
			continue
		}
		if diff, n := w.took.since(&v.old.took); n > 0 {
			values[seriesID{chartTook, w.name + " p50"}] = float32(diff.quantile(0.5, n).Seconds())
			values[seriesID{chartTook, w.name + " p99"}] = float32(diff.quantile(0.99, n).Seconds())
		}
	}
	if known {
		values[seriesID{totalOfChart, chartWork}] = float32(total)
	}
}

// history is the data of the charts view: all samples, or only new ones.
type history struct {
	Times  []int64        `json:"times"` // milliseconds
	Charts []historyChart `json:"charts"`
	// Left is the number of lines that were dropped because there are too many.
	Left int `json:"left,omitempty"`
}

type historyChart struct {
	ID     string          `json:"id"`
	Series []historySeries `json:"series"`
}

type historySeries struct {
	Name string `json:"name"`
	// Values are rounded; nil is a gap.
	Values []*float64 `json:"values"`
}

// history returns the samples after a time, and the time of the newest.
func (s *sampler) history(after time.Time) (history, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	newest := time.Time{}
	if n := len(s.recent); n > 0 {
		newest = s.recent[n-1].at
	}
	places := slices.DeleteFunc(s.places(newest, chartAge), func(place int) bool { return !s.times[place].After(after) })
	h := history{Times: []int64{}, Left: s.left}
	for _, place := range places {
		h.Times = append(h.Times, s.times[place].UnixMilli())
	}
	for _, c := range charts {
		one := historyChart{ID: c.ID, Series: []historySeries{}}
		for id, line := range s.series {
			if id.chart == c.ID && newest.Sub(line.last) <= chartAge {
				one.Series = append(one.Series, historySeries{id.name, line.at(places)})
			}
		}
		slices.SortFunc(one.Series, func(a, b historySeries) int { return strings.Compare(a.Name, b.Name) })
		h.Charts = append(h.Charts, one)
	}
	return h, newest
}

func (s *series) at(places []int) []*float64 {
	values := make([]*float64, len(places))
	for i, place := range places {
		if v := float64(s.values[place]); !math.IsNaN(v) {
			rounded := round(v)
			values[i] = &rounded
		}
	}
	return values
}

// round rounds to four digits, which is more than a chart can show.
func round(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// chartRow is a row of the table beside the charts.
type chartRow struct {
	Title, Unit, Help string
	Lines             []fact
}

// latest returns the newest values of all lines, for screen readers.
func (s *sampler) latest() []chartRow {
	s.mu.Lock()
	defer s.mu.Unlock()
	newest := (s.next + ringSize - 1) % ringSize
	var rows []chartRow
	for _, c := range charts {
		row := chartRow{Title: c.Title, Unit: c.Unit, Help: c.Help}
		for id, line := range s.series {
			if v := float64(line.values[newest]); id.chart == c.ID && !math.IsNaN(v) {
				row.Lines = append(row.Lines, fact{id.name, inUnit(v, c.Unit)})
			}
		}
		slices.SortFunc(row.Lines, func(a, b fact) int { return cmp.Compare(a.Label, b.Label) })
		rows = append(rows, row)
	}
	return rows
}

func inUnit(v float64, unit string) string {
	switch unit {
	case "s":
		return span(time.Duration(v * float64(time.Second)))
	case "B":
		return size(int64(v))
	case "/s":
		return rate(v) + "/s"
	}
	return count(int64(v))
}

// chartsData is the data of the charts view.
type chartsData struct {
	Charts []chart
	Rows   []chartRow
	// Measured is true if Config.Reconciles measures durations of reconciles.
	Measured, Controllers bool
}

func (p *Page) chartsView(query) (any, error) {
	p.sampler.look()
	return &chartsData{Charts: charts, Rows: p.sampler.latest(), Measured: p.config.Reconciles != nil, Controllers: p.config.hasControllers()}, nil
}
