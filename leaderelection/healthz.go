package leaderelection

import (
	"net/http"
	"sync"
	"time"
)

// HealthzAdaptor is a health check for an elector, which may be set later. It fails if this replica still works as the
// leader though its lease has expired, so that the process is restarted.
type HealthzAdaptor struct {
	timeout time.Duration

	mu sync.Mutex
	le *LeaderElector
}

// NewLeaderHealthzAdaptor returns a check that passes until timeout after the lease expired.
func NewLeaderHealthzAdaptor(timeout time.Duration) *HealthzAdaptor {
	return &HealthzAdaptor{timeout: timeout}
}

// Name returns the name of the check.
func (l *HealthzAdaptor) Name() string { return "leaderElection" }

// Check is called by a health endpoint. It passes as long as there is no elector.
func (l *HealthzAdaptor) Check(_ *http.Request) error {
	l.mu.Lock()
	le := l.le
	l.mu.Unlock()
	if le == nil {
		return nil
	}
	return le.Check(l.timeout)
}

// SetLeaderElection sets the elector to check.
func (l *HealthzAdaptor) SetLeaderElection(le *LeaderElector) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.le = le
}
