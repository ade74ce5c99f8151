package leaderelection

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes/typed/coordination/v1"
	rl "vedette.dev/leaderelection/resourcelock"
	"vedette.dev/rest"
)

func TestValidate(t *testing.T) {
	lock := func(change func(*rl.LeaseLock)) rl.Interface {
		ll := &rl.LeaseLock{
			LeaseMeta: metav1.ObjectMeta{Name: "election"}, Client: v1.NewForConfigOrDie(&rest.Config{Host: "localhost"}),
			LockConfig: rl.ResourceLockConfig{Identity: "a"},
		}
		change(ll)
		return ll
	}
	for want, change := range map[string]func(*LeaderElectionConfig){
		"":                          func(c *LeaderElectionConfig) {},
		"Lock is nil":               func(c *LeaderElectionConfig) { c.Lock = nil },
		"Lock is a nil *LeaseLock":  func(c *LeaderElectionConfig) { c.Lock = (*rl.LeaseLock)(nil) },
		"without a Client":          func(c *LeaderElectionConfig) { c.Lock = lock(func(l *rl.LeaseLock) { l.Client = nil }) },
		"without a LeaseMeta.Name":  func(c *LeaderElectionConfig) { c.Lock = lock(func(l *rl.LeaseLock) { l.LeaseMeta.Name = "" }) },
		"an empty Identity":         func(c *LeaderElectionConfig) { c.Lock = lock(func(l *rl.LeaseLock) { l.LockConfig.Identity = "" }) },
		"LeaseDuration is 0s":       func(c *LeaderElectionConfig) { c.LeaseDuration = 0 },
		"RenewDeadline is -1s":      func(c *LeaderElectionConfig) { c.RenewDeadline = -time.Second },
		"RetryPeriod is 0s":         func(c *LeaderElectionConfig) { c.RetryPeriod = 0 },
		"LeaseDuration is 10s":      func(c *LeaderElectionConfig) { c.LeaseDuration = renew },
		"limit of a Lease":          func(c *LeaderElectionConfig) { c.LeaseDuration = 100 * 365 * 24 * time.Hour },
		"RenewDeadline is 2.4s":     func(c *LeaderElectionConfig) { c.RenewDeadline = 2400 * time.Millisecond },
		"StopTimeout is -1ns":       func(c *LeaderElectionConfig) { c.StopTimeout = -1 },
		"OnStartedLeading is nil":   func(c *LeaderElectionConfig) { c.Callbacks.OnStartedLeading = nil },
		"OnStoppedLeading is nil":   func(c *LeaderElectionConfig) { c.Callbacks.OnStoppedLeading = nil },
		"LeaderElectionConfig.Lock": func(c *LeaderElectionConfig) { *c = LeaderElectionConfig{} },
	} {
		lec := LeaderElectionConfig{
			Lock: lock(func(*rl.LeaseLock) {}), LeaseDuration: lease, RenewDeadline: renew, RetryPeriod: retry,
			Callbacks: LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}},
		}
		change(&lec)
		_, err := NewLeaderElector(lec)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), "leaderelection: ") || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestRunOrDieDies(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "Lock is nil") {
			t.Errorf("panic with %v", err)
		}
	}()
	RunOrDie(t.Context(), LeaderElectionConfig{})
}

// A lease of a second and a half is written as two: others would take it before its holder gives up.
func TestLeaseDurationIsRoundedUp(t *testing.T) {
	for d, want := range map[time.Duration]int{time.Second: 1, 1500 * time.Millisecond: 2, time.Millisecond: 1, lease: 15} {
		if got := (&LeaderElectionConfig{LeaseDuration: d}).leaseSeconds(); got != want {
			t.Errorf("%v is written as %d s, want %d", d, got, want)
		}
	}
}
