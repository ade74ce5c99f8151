//go:build !vedette_noconsole

package console

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// sparkAge is the time span of the sparklines.
const sparkAge = 2 * time.Minute

// lanes returns the lanes of a reading.
func (p *Page) lanes(now, before *reading) []lane {
	var apart time.Duration
	if before != nil {
		apart = now.at.Sub(before.at)
	}
	tails, placed := map[string]tail{}, map[string]bool{}
	for i := range now.works {
		w := &now.works[i]
		var old *workReading
		if before != nil {
			old = before.work(w.name)
		}
		tails[w.name] = workTail(w, old, now.at, apart)
	}
	var all []lane
	for i := range now.informers {
		one := &now.informers[i]
		var old *informerReading
		if before != nil {
			old = before.informer(one.name)
		}
		l := informerLane(one, old, now.at, apart)
		for _, w := range now.works {
			if slices.Contains(w.feeds, one.name) {
				l.Tails = append(l.Tails, tails[w.name])
				placed[w.name] = true
			}
		}
		l.Spark = spark(p.sampler.line(seriesID{chartEvents, one.name}, sparkAge))
		l.settle()
		all = append(all, l)
	}
	for _, w := range now.works {
		if !placed[w.name] {
			l := lane{Name: w.name, Tails: []tail{tails[w.name]}, Link: tails[w.name].Link}
			l.settle()
			all = append(all, l)
		}
	}
	return all
}

// The size of a sparkline.
const sparkWidth, sparkHeight = 120, 24

// spark returns a sparkline of values, as the points of an SVG polyline. It is empty if there is nothing to see.
func spark(values []float32) string {
	top := float32(0)
	known := 0
	for _, v := range values {
		if v == v { // not NaN
			top, known = max(top, v), known+1
		}
	}
	if known < 2 {
		return ""
	}
	var b strings.Builder
	for i, v := range values {
		if v != v {
			continue
		}
		x := float64(sparkWidth) * float64(i) / float64(len(values)-1)
		y := float64(sparkHeight) - 2
		if top > 0 {
			y -= (sparkHeight - 4) * float64(v/top)
		}
		fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
	}
	return strings.TrimSpace(b.String())
}

// tile is a number at the top of the page.
type tile struct {
	Label, Figure, Unit, Spark string
}

func (p *Page) tiles(now, before *reading) []tile {
	objects := 0
	for i := range now.informers {
		objects += now.informers[i].state.Objects
	}
	last := func(id seriesID) float64 {
		line := p.sampler.line(id, tick*recentSize)
		sum, n := 0.0, 0
		for _, v := range line {
			if v == v {
				sum, n = sum+float64(v), n+1
			}
		}
		if n == 0 {
			return math.NaN()
		}
		return sum / float64(n)
	}
	at := func(id seriesID) string { return spark(p.sampler.line(id, sparkAge)) }
	events, works := seriesID{totalOfChart, chartEvents}, seriesID{totalOfChart, chartWork}
	heap := seriesID{chartMemory, "heap objects"}
	var tiles []tile
	if len(now.informers) > 0 {
		tiles = append(tiles,
			tile{"Objects", count(objects), "in " + plural(len(now.informers), "store"), ""},
			tile{"Events", rate(last(events)), "per second", at(events)})
	}
	if p.config.hasControllers() {
		tiles = append(tiles, tile{"Reconciles", rate(last(works)), "per second", at(works)})
	}
	return append(tiles,
		tile{"Heap", size(now.memory.heap), "of " + size(now.memory.total), at(heap)},
		tile{"Goroutines", count(now.memory.goroutines), "", ""})
}

// pipelineData is the data of the first view.
type pipelineData struct {
	Tiles    []tile    `json:"-"`
	Problems []problem `json:"problems"`
	Lanes    []lane    `json:"lanes"`
	// Shown summarizes what is shown, in a few words.
	Shown string `json:"-"`
	Empty bool   `json:"-"`
	Only  bool   `json:"-"`
}

func (p *Page) pipelineView(q query) (any, error) {
	now, before := p.sampler.look()
	d := pipelineData{Tiles: p.tiles(now, before), Lanes: p.lanes(now, before), Only: q.Get("only") == "problem"}
	d.Problems = problems(d.Lanes)
	d.Empty = len(d.Lanes) == 0
	d.Shown = plural(len(now.informers), "informer")
	n := 0
	for i := range now.works {
		if now.works[i].controller {
			n++
		}
	}
	if n > 0 {
		d.Shown += ", " + plural(n, "controller")
	}
	if d.Only {
		d.Lanes = slices.DeleteFunc(d.Lanes, func(l lane) bool { return !l.Level.IsProblem() })
	}
	return d, nil
}
