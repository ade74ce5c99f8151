package flowcontrol

import (
	"context"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/utils/clock"
)

// Clock is the clock of a limiter.
type Clock interface {
	clock.PassiveClock
	Sleep(time.Duration)
}

// NewTokenBucketRateLimiter returns a bucket of burst tokens, initially full, that is refilled with qps tokens per
// second.
func NewTokenBucketRateLimiter(qps float32, burst int) RateLimiter {
	return NewTokenBucketRateLimiterWithClock(qps, burst, clock.RealClock{})
}

// NewTokenBucketPassiveRateLimiter returns the same bucket without waiting.
func NewTokenBucketPassiveRateLimiter(qps float32, burst int) PassiveRateLimiter {
	return NewTokenBucketPassiveRateLimiterWithClock(qps, burst, clock.RealClock{})
}

// NewTokenBucketRateLimiterWithClock returns a bucket whose TryAccept and Accept use the clock c. Wait takes a context,
// whose deadline is in real time, and uses real time too: a test should use either Wait or a clock of its own.
func NewTokenBucketRateLimiterWithClock(qps float32, burst int, c Clock) RateLimiter {
	return &bucket{passiveBucket: newPassiveBucket(qps, burst, c), clock: c}
}

// NewTokenBucketPassiveRateLimiterWithClock returns a bucket with the clock c.
func NewTokenBucketPassiveRateLimiterWithClock(qps float32, burst int, c clock.PassiveClock) PassiveRateLimiter {
	p := newPassiveBucket(qps, burst, c)
	return &p
}

func newPassiveBucket(qps float32, burst int, c clock.PassiveClock) passiveBucket {
	return passiveBucket{limiter: rate.NewLimiter(rate.Limit(qps), burst), qps: qps, clock: c}
}

type passiveBucket struct {
	limiter *rate.Limiter
	qps     float32
	clock   clock.PassiveClock
}

func (b *passiveBucket) TryAccept() bool { return b.limiter.AllowN(b.clock.Now(), 1) }
func (b *passiveBucket) Stop()           {}
func (b *passiveBucket) QPS() float32    { return b.qps }

type bucket struct {
	passiveBucket
	clock Clock
}

func (b *bucket) Accept() {
	now := b.clock.Now()
	b.clock.Sleep(b.limiter.ReserveN(now, 1).DelayFrom(now))
}

func (b *bucket) Wait(ctx context.Context) error { return b.limiter.Wait(ctx) }
