package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/leaderelection"
)

// leaderFamilies are the metrics of electors.
type leaderFamilies struct {
	collectors
	elections *shared[*electionSeries]
}

// electionSeries are the series of all electors of one name.
type electionSeries struct {
	leads *joint
	slow  prometheus.Counter
}

func newLeaderFamilies() *leaderFamilies {
	labels := []string{"name"}
	leads := gauges(labels, "leader_election_master_status", "1 if this replica leads, 0 if it stands by.")
	slow := counters(labels, "leader_election_slowpath_total",
		"Number of renewals that took more than one request, because the lock had changed or a request had failed.")
	all := collectors{leads, slow}
	return &leaderFamilies{collectors: all, elections: newShared(
		func(name string) *electionSeries {
			return &electionSeries{leads: newJoint(leads.WithLabelValues(name), most), slow: slow.WithLabelValues(name)}
		},
		func(name string) { all.drop(prometheus.Labels{"name": name}) },
	)}
}

// LeaderElection returns the [Metrics] for the config of an elector. Series start when the elector first reports, and end
// when it closes its metric. Electors of one name share them: the status is 1 if one of them leads.
func (m *Metrics) LeaderElection() leaderelection.MetricsProvider {
	return leaderProvider{m.leaders.elections}
}

type leaderProvider struct{ elections *shared[*electionSeries] }

func (p leaderProvider) NewLeaderMetric() leaderelection.LeaderMetric {
	return &leaderMetric{elections: p.elections, entered: map[string]*election{}}
}

// leaderMetric is the metric of one elector. It has a Close method, which electors call.
type leaderMetric struct {
	elections *shared[*electionSeries]

	mu sync.Mutex
	// entered are the elections reported so far: usually one.
	entered map[string]*election
}

// election is an election from the view of one elector.
type election struct {
	series *electionSeries
	leads  *part
}

func (l *leaderMetric) in(name string, do func(*election)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entered[name]
	if e == nil {
		series, leave := l.elections.take(name)
		e = &election{series: series, leads: &part{of: series.leads, leave: leave}}
		l.entered[name] = e
	}
	do(e)
}

// On records that the elector leads.
func (l *leaderMetric) On(name string) { l.in(name, func(e *election) { e.leads.Set(1) }) }

// Off records that the elector does not lead.
func (l *leaderMetric) Off(name string) { l.in(name, func(e *election) { e.leads.Set(0) }) }

// SlowpathExercised records that a renewal took more than one request.
func (l *leaderMetric) SlowpathExercised(name string) {
	l.in(name, func(e *election) { e.series.slow.Inc() })
}

// Close ends the series. An elector that runs again starts new ones.
func (l *leaderMetric) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entered {
		e.leads.Close()
	}
	clear(l.entered)
}
