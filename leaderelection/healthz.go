package leaderelection

import (
	"net/http"
	"sync"
	"time"
)

// HealthzAdaptor makes a health check of an elector, which may be tied to it later. It fails if this replica is still at work
// as leader though its lease has ended, so that whoever watches over the process ends it.
type HealthzAdaptor struct {
	timeout time.Duration

	mu sync.Mutex
	le *LeaderElector
}

// NewLeaderHealthzAdaptor makes a check that passes until timeout after the end of the lease.
func NewLeaderHealthzAdaptor(timeout time.Duration) *HealthzAdaptor {
	return &HealthzAdaptor{timeout: timeout}
}

// Name is that of the check.
func (l *HealthzAdaptor) Name() string { return "leaderElection" }

// Check is what a health endpoint calls. It passes as long as there is no elector.
func (l *HealthzAdaptor) Check(_ *http.Request) error {
	l.mu.Lock()
	le := l.le
	l.mu.Unlock()
	if le == nil {
		return nil
	}
	return le.Check(l.timeout)
}

// SetLeaderElection ties the check to an elector, in place of the one before.
func (l *HealthzAdaptor) SetLeaderElection(le *LeaderElector) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.le = le
}
