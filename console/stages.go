//go:build !vedette_noconsole

package console

import (
	"fmt"
	"net/url"
	"time"

	"vedette.dev/cache"
)

// Durations from which on a warning or an error is shown.
const (
	handlerSlow, handlerStalled = time.Second, 5 * time.Second
	pendingSlow, pendingStalled = time.Second, 10 * time.Second
	queueSlow, queueStalled     = 5 * time.Second, time.Minute
	workerSlow, workerStalled   = 10 * time.Second, time.Minute
	// Servers send a bookmark about once a minute.
	silence = 130 * time.Second
)

// informerLane returns the lane of an informer. before is an older reading of it, or nil.
func informerLane(now *informerReading, before *informerReading, at time.Time, apart time.Duration) lane {
	l := lane{Name: now.name, Type: typeName(now.state.Type), Link: "informer?name=" + url.QueryEscape(now.name)}
	v := viewOf(&now.state, before, at, apart)
	l.Stages = []stage{v.server(), v.reflector(), v.queue(), v.store(), v.handlers()}
	for i := range l.Stages {
		l.Stages[i].Link = l.Link
	}
	now.shards.addTo(&l)
	return l
}

// informerView is a state together with an older one.
type informerView struct {
	*cache.State
	at time.Time
	// apart is the time between the two, zero if there is no older one.
	apart time.Duration
	old   cache.State
}

func viewOf(state *cache.State, before *informerReading, at time.Time, apart time.Duration) informerView {
	v := informerView{State: state, at: at}
	if before != nil && before.state.Events <= state.Events {
		v.apart, v.old = apart, before.state
	}
	return v
}

// perSecond returns a rate, negative if unknown.
func (v *informerView) perSecond(now, before uint64) float64 {
	if v.apart <= 0 || now < before {
		return -1
	}
	return float64(now-before) / v.apart.Seconds()
}

func (v *informerView) handled() (now, before uint64) {
	for _, h := range v.Handlers {
		now += h.Handled
	}
	for _, h := range v.old.Handlers {
		before += h.Handled
	}
	return now, before
}

func (v *informerView) running() bool {
	return v.Phase != cache.PhaseIdle && v.Phase != cache.PhaseStopped
}

// quiet returns the level of a healthy stage: ok or idle, depending on flow, or off.
func (v *informerView) quiet(flow float64) level {
	switch {
	case !v.running():
		return levelOff
	case flow > 0:
		return levelOK
	}
	return levelIdle
}

func (v *informerView) server() stage {
	s := stage{ID: "server", Title: "API server", Unit: "events/s"}
	s.Flow = v.perSecond(v.Events, v.old.Events)
	s.Figure, s.Level = rate(s.Flow), v.quiet(s.Flow)
	if v.Bytes > 0 {
		s.fact("per second", perSecondSize(v.perSecond(uint64(v.Bytes), uint64(v.old.Bytes))))
	}
	s.fact("last event", ago(v.LastEvent, v.at))
	if v.Cause != nil && v.running() {
		tries := "1 try"
		if v.Failures != 1 {
			tries = count(v.Failures) + " tries"
		}
		s.raise(v.failing(), fmt.Sprintf("%s (%s failed, for %s)", v.Cause, tries, span(age(v.Failing, v.at))))
	}
	if quiet := age(v.LastEvent, v.at); v.Phase == cache.PhaseWatching && quiet > silence {
		s.raise(levelSlow, fmt.Sprintf("no event for %s; servers send a bookmark about once a minute", span(quiet)))
	}
	return s
}

// failing returns the level of a failure: a watch that was interrupted and is running again is only a warning.
func (v *informerView) failing() level {
	if v.Err() != nil {
		return levelFailing
	}
	return levelSlow
}

func (v *informerView) reflector() stage {
	s := stage{ID: "reflector", Title: "Reflector", Figure: v.Phase.String(), Flow: v.perSecond(v.Events, v.old.Events)}
	s.Level = v.quiet(s.Flow)
	if v.running() && !v.Since.IsZero() {
		s.fact("for", span(age(v.Since, v.at)))
	}
	s.fact("lists · watches", count(v.Lists)+" · "+count(v.Watches))
	if failed := v.ListsFailed.Total() + v.WatchesFailed.Total(); failed > 0 {
		s.fact("failed", count(failed))
	}
	switch {
	case v.Phase == cache.PhaseBackingOff:
		s.fact("next retry", until(v.Until, v.at))
		s.raise(levelSlow, "waiting for the next retry, "+until(v.Until, v.at))
	case v.Phase == cache.PhaseListing || v.Phase == cache.PhaseStreaming:
		s.raise(levelBusy, "")
	}
	if left := v.Undecodable + v.Skipped; left > 0 {
		s.fact("skipped", count(left))
		if left > v.old.Undecodable+v.old.Skipped || v.apart == 0 {
			s.raise(levelSlow, leftOut(v.State))
		}
	}
	return s
}

func leftOut(s *cache.State) string {
	if s.LastUndecodable != nil {
		return fmt.Sprintf("%s skipped; last error: %s", plural(s.Undecodable+s.Skipped, "object"), s.LastUndecodable)
	}
	return fmt.Sprintf("%s skipped; last error: %v", plural(s.Undecodable+s.Skipped, "object"), s.LastSkipped)
}

func (v *informerView) queue() stage {
	s := stage{ID: "queue", Title: "Delta queue", Figure: count(v.Pending), Unit: "pending", Flow: v.perSecond(v.Events, v.old.Events)}
	s.Level = v.quiet(s.Flow)
	waited := age(v.PendingSince, v.at)
	if v.Pending > 0 && waited > 0 {
		s.fact("oldest", span(waited))
	}
	if mean, ok := v.lag(); ok {
		s.fact("lag to store", span(mean))
	}
	cause := fmt.Sprintf("%s pending for the store, the oldest for %s", plural(v.Pending, "change"), span(waited))
	switch {
	case waited > pendingStalled:
		s.raise(levelFailing, cause)
	case waited > pendingSlow:
		s.raise(levelSlow, cause)
	}
	return s
}

// lag returns the mean time from the receipt of a change until it was in the store, since the older reading.
func (v *informerView) lag() (time.Duration, bool) {
	batches := v.Lags.Batches - v.old.Lags.Batches
	if v.apart == 0 || v.Lags.Batches <= v.old.Lags.Batches {
		return 0, false
	}
	return (v.Lags.Total - v.old.Lags.Total) / time.Duration(batches), true
}

func (v *informerView) store() stage {
	handled, before := v.handled()
	s := stage{ID: "store", Title: "Store", Figure: count(v.Objects), Unit: "objects", Flow: v.perSecond(handled, before)}
	s.Level = v.quiet(v.perSecond(v.Events, v.old.Events))
	if v.ResourceVersion != "" {
		s.fact("version", v.ResourceVersion)
	}
	if v.running() && !v.Synced {
		s.raise(levelBusy, "")
		s.fact("synced", "not yet")
	}
	if v.IndexErrors > 0 {
		s.fact("index errors", count(v.IndexErrors))
		if v.IndexErrors > v.old.IndexErrors || v.apart == 0 {
			s.raise(levelSlow, fmt.Sprintf("index functions failed %s; last error: %v", plural(v.IndexErrors, "time"), v.LastIndexError))
		}
	}
	return s
}
