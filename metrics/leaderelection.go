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

// electionSeries are those of all electors of one name.
type electionSeries struct {
	leads *joint
	slow  prometheus.Counter
}

func newLeaderFamilies() *leaderFamilies {
	labels := []string{"name"}
	leads := gauges(labels, "leader_election_master_status", "1 if this replica leads, 0 if it stands by.")
	slow := counters(labels, "leader_election_slowpath_total",
		"How many renewals took more than one request, since the lock had been changed or a request had failed.")
	all := collectors{leads, slow}
	return &leaderFamilies{collectors: all, elections: newShared(
		func(name string) *electionSeries {
			return &electionSeries{leads: newJoint(leads.WithLabelValues(name), most), slow: slow.WithLabelValues(name)}
		},
		func(name string) { all.drop(prometheus.Labels{"name": name}) },
	)}
}

// LeaderElection is for the Metrics in the config of an elector. Series begin when the elector first tells of itself, and
// end when it closes its metric, which has a Close method. Electors of one name share them: one that leads is enough.
func (m *Metrics) LeaderElection() leaderelection.MetricsProvider {
	return leaderProvider{m.leaders.elections}
}

type leaderProvider struct{ elections *shared[*electionSeries] }

func (p leaderProvider) NewLeaderMetric() leaderelection.LeaderMetric {
	return &leaderMetric{elections: p.elections, entered: map[string]*election{}}
}

// leaderMetric is that of one elector. It has a Close, which electors look for.
type leaderMetric struct {
	elections *shared[*electionSeries]

	mu sync.Mutex
	// entered are the elections heard of: one, as a rule.
	entered map[string]*election
}

// election is one as one elector sees it.
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

// On says that the elector leads.
func (l *leaderMetric) On(name string) { l.in(name, func(e *election) { e.leads.Set(1) }) }

// Off says that it does not.
func (l *leaderMetric) Off(name string) { l.in(name, func(e *election) { e.leads.Set(0) }) }

// SlowpathExercised says that a renewal took more than one request.
func (l *leaderMetric) SlowpathExercised(name string) {
	l.in(name, func(e *election) { e.series.slow.Inc() })
}

// Close ends the series. An elector that runs again begins them anew.
func (l *leaderMetric) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.entered {
		e.leads.Close()
	}
	clear(l.entered)
}
