package metrics

import "testing"

func TestLeaderElection(t *testing.T) {
	m, registry := mustNew(t)
	p := m.LeaderElection()
	first, second := p.NewLeaderMetric(), p.NewLeaderMetric()
	if got := gather(t, registry); len(got) != 0 {
		t.Errorf("before anything was told there are %v", got)
	}
	expect := func(leads, slow float64) {
		t.Helper()
		got := gather(t, registry)
		got.expect(t, "leader_election_master_status", map[string]float64{`name="lease"`: leads})
		got.expect(t, "leader_election_slowpath_total", map[string]float64{`name="lease"`: slow})
	}
	first.Off("lease")
	expect(0, 0)
	first.On("lease")
	second.Off("lease") // another elector of the same process
	expect(1, 0)
	second.SlowpathExercised("lease")
	expect(1, 1)
	first.(interface{ Close() }).Close()
	expect(0, 1)
	second.(interface{ Close() }).Close()
	if got := gather(t, registry); len(got) != 0 {
		t.Errorf("after both have ended there are %v", got)
	}
	first.On("lease") // it runs again
	expect(1, 0)
}
