//go:build !vedette_noconsole

package console

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"vedette.dev/controller"
)

// workTail returns the stages of a queue and its workers. before is an older reading, or nil.
func workTail(now, before *workReading, at time.Time, apart time.Duration) tail {
	v := workView{workReading: now, at: at}
	if before != nil && before.state.Reconciles <= now.state.Reconciles {
		v.apart, v.old = apart, before
	}
	t := tail{Name: now.name, What: "queue", Link: "queues?name=" + url.QueryEscape(now.name)}
	if now.controller {
		t.What = "controller"
	}
	t.Stages = []stage{v.queue(), v.workers()}
	for i := range t.Stages {
		t.Stages[i].Link = t.Link
	}
	return t
}

type workView struct {
	*workReading
	at    time.Time
	apart time.Duration // zero if there is no older reading
	old   *workReading
}

func (v *workView) perSecond(now, before uint64) float64 {
	if v.apart <= 0 || now < before {
		return -1
	}
	return float64(now-before) / v.apart.Seconds()
}

// reconciled returns the number of reconciles that ended and failed since the older reading.
func (v *workView) reconciled() (ended, failed uint64) {
	if v.old == nil {
		return 0, 0
	}
	return v.state.Reconciles - v.old.state.Reconciles, v.state.Failures - v.old.state.Failures
}

func (v *workView) flow() float64 {
	if !v.controller || v.old == nil {
		return -1
	}
	return v.perSecond(v.state.Reconciles, v.old.state.Reconciles)
}

func (v *workView) queue() stage {
	s := stage{ID: "workqueue", Title: "Work queue", Figure: count(v.depth), Unit: "queued", Flow: v.flow(), Level: levelIdle}
	if s.Flow > 0 || v.depth > 0 || v.processing > 0 {
		s.Level = levelOK
	}
	if v.controller && (v.state.Phase == controller.PhaseIdle || v.state.Phase == controller.PhaseStopped) {
		s.Level = levelOff
	}
	if !v.known {
		return s
	}
	waited := age(v.oldest, v.at)
	if v.depth > 0 {
		s.fact("oldest", span(waited))
	}
	s.fact("delayed", count(v.delayed))
	cause := fmt.Sprintf("%s for a worker, the oldest for %s", waitFor(v.depth, "key"), span(waited))
	switch {
	case waited > queueStalled:
		s.raise(levelFailing, cause)
	case waited > queueSlow:
		s.raise(levelSlow, cause)
	}
	return s
}

func waitFor(n int, what string) string {
	if n == 1 {
		return "1 " + what + " waits"
	}
	return plural(n, what) + " wait"
}

func (v *workView) workers() stage {
	s := stage{ID: "workers", Title: "Workers", Flow: v.flow(), Level: levelIdle}
	if !v.controller {
		s.Figure, s.Unit = count(v.processing), "keys in progress"
		if v.processing > 0 {
			s.Level = levelOK
		}
		return s
	}
	s.Figure, s.Unit = fmt.Sprintf("%d/%d", len(v.state.Busy), v.state.Workers), "busy"
	if s.Flow > 0 || len(v.state.Busy) > 0 {
		s.Level = levelOK
	}
	s.fact("reconciles/s", rate(s.Flow))
	if v.old != nil && v.measured && v.old.measured {
		if diff, total := v.took.since(&v.old.took); total > 0 {
			s.fact("p50", span(diff.quantile(0.5, total)))
			s.fact("p99", span(diff.quantile(0.99, total)))
		}
	}
	if v.state.Failures > 0 {
		s.fact("failures", count(v.state.Failures))
	}
	v.phase(&s)
	v.oldestWork(&s)
	v.failures(&s)
	return s
}

func (v *workView) phase(s *stage) {
	switch v.state.Phase {
	case controller.PhaseIdle:
		s.Level, s.Unit = levelOff, "not running"
	case controller.PhaseSyncing:
		s.raise(levelBusy, "waiting for "+strings.Join(v.state.NotReady, ", "))
	case controller.PhaseStopping, controller.PhaseStopped:
		s.Level, s.Unit = levelOff, v.state.Phase.String()
	}
	if v.state.Result != nil {
		s.raise(levelFailing, v.state.Result.Error())
	}
}

func (v *workView) oldestWork(s *stage) {
	if len(v.state.Busy) == 0 {
		return
	}
	first := v.state.Busy[0]
	took := age(first.Since, v.at)
	who := "a worker"
	if first.Worker > 0 { // other implementations may not number them
		who = fmt.Sprintf("worker %d", first.Worker)
	}
	cause := fmt.Sprintf("%s has been reconciling %s for %s", who, first.Key, span(took))
	if len(v.state.Busy) == v.state.Workers {
		cause = fmt.Sprintf("all workers are busy (%d), the longest with %s for %s", v.state.Workers, first.Key, span(took))
	}
	switch {
	case took > workerStalled:
		s.raise(levelFailing, cause)
	case took > workerSlow:
		s.raise(levelSlow, cause)
	}
}

// failures raises the level if reconciles fail: a warning from one in ten, an error from one in two.
func (v *workView) failures(s *stage) {
	ended, failed := v.reconciled()
	if failed == 0 || ended == 0 {
		return
	}
	cause := fmt.Sprintf("%s of %s failed in the last %s", count(failed), plural(ended, "reconcile"), span(v.apart.Round(time.Second)))
	switch {
	case failed*2 >= ended:
		s.raise(levelFailing, cause)
	case failed*10 >= ended:
		s.raise(levelSlow, cause)
	}
}
