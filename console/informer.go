//go:build !vedette_noconsole

package console

import (
	"fmt"
	"maps"
	"time"

	"vedette.dev/cache"
)

// informerData is the data of the view of one informer.
type informerData struct {
	Lane  lane
	State cache.State
	// Handlers are the handlers of the state, with their levels.
	Handlers []handlerData
	Facts    []fact
	Lags     []fact
	Storage  storageKind
	Browse   bool
	Now      time.Time
}

type handlerData struct {
	cache.HandlerState
	Type  string
	Level level
	Cause string
	Rate  float64
}

func (p *Page) informerView(q query) (any, error) {
	now, before := p.sampler.look()
	name := q.Get("name")
	one := now.informer(name)
	if one == nil {
		return nil, fmt.Errorf("unknown informer %q: %w", name, errNotFound)
	}
	d := &informerData{State: one.state, Now: now.at, Storage: storageOf(one, now.at)}
	for _, l := range p.lanes(now, before) {
		if l.Name == name && len(l.Stages) > 0 {
			d.Lane = l
		}
	}
	var old *informerReading
	var apart time.Duration
	if before != nil {
		old, apart = before.informer(name), now.at.Sub(before.at)
	}
	v := viewOf(&one.state, old, now.at, apart)
	for i := range v.Handlers {
		d.Handlers = append(d.Handlers, v.handlerData(i))
	}
	d.facts()
	d.lags()
	_, _, err := p.store(name)
	d.Browse = err == nil
	return d, nil
}

func (v *informerView) handlerData(i int) handlerData {
	h := v.Handlers[i]
	d := handlerData{HandlerState: h, Type: handlerType(h.Handler), Rate: v.perSecond(h.Handled, v.handlerBefore(h.Number).Handled)}
	if d.Level, d.Cause = handlerLevel(&h, v.at); d.Level == levelOff {
		d.Level = v.quiet(d.Rate)
	}
	return d
}

func (d *informerData) facts() {
	s := &d.State
	add := func(label, value string) { d.Facts = append(d.Facts, fact{label, value}) }
	add("phase", s.Phase.String()+" for "+span(age(s.Since, d.Now)))
	add("synced", map[bool]string{true: "yes", false: "not yet"}[s.Synced])
	add("resource version", s.ResourceVersion)
	add("last event from the server", ago(s.LastEvent, d.Now))
	add("events", count(s.Events))
	add("bytes received", size(s.Bytes))
	add("lists", count(s.Lists))
	add("watches", count(s.Watches))
	watches := maps.Collect(s.WatchesFailed.All())
	for reason, lists := range s.ListsFailed.All() {
		if n := lists + watches[reason]; n > 0 {
			add("failed: "+reason, count(n))
		}
	}
	if s.Undecodable > 0 {
		add("undecodable", fmt.Sprintf("%s, last: %v", count(s.Undecodable), s.LastUndecodable))
	}
	if s.Skipped > 0 {
		add("skipped", fmt.Sprintf("%s, last: %v", count(s.Skipped), s.LastSkipped))
	}
	if s.IndexErrors > 0 {
		add("index errors", fmt.Sprintf("%s, last: %v", count(s.IndexErrors), s.LastIndexError))
	}
	add("reflector", s.Name)
}

// lags counts the batches of changes by how long they took to reach the store.
func (d *informerData) lags() {
	within := uint64(0)
	for i, bound := range d.State.Lags.Bounds() {
		within += d.State.Lags.Within[i]
		if n := d.State.Lags.Within[i]; n > 0 {
			d.Lags = append(d.Lags, fact{"within " + span(bound), count(n)})
		}
	}
	if rest := d.State.Lags.Batches - min(within, d.State.Lags.Batches); rest > 0 {
		d.Lags = append(d.Lags, fact{"longer", count(rest)})
	}
}
