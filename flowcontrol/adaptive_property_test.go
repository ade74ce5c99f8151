package flowcontrol

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// Whatever the server answers and however callers come and go: the invariants hold after each step, no token is taken
// before a Retry-After has passed, and no stretch of time sees more tokens than the ceiling allows.
func TestAdaptiveProperties(t *testing.T) {
	answers := []Answer{ok, ok, ok, tooMany, holdOff, overload, unlucky, broken}
	check := func(rt *rapid.T) {
		config := AdaptiveConfig{
			MaxRate:  rapid.SampledFrom([]float64{0, 0.5, 10, 1000}).Draw(rt, "ceiling"),
			MinRate:  rapid.SampledFrom([]float64{0, 0.01, 0.5}).Draw(rt, "floor"),
			Burst:    rapid.IntRange(0, 20).Draw(rt, "burst"),
			Decrease: rapid.SampledFrom([]float64{0, 0.1, 0.9}).Draw(rt, "decrease"),
			Recovery: rapid.SampledFrom([]time.Duration{0, time.Nanosecond, time.Second, time.Hour}).Draw(rt, "recovery"),
		}
		steps := rapid.SliceOfN(rapid.IntRange(0, len(answers)+3), 1, 100).Draw(rt, "steps")
		pauses := rapid.SliceOfN(rapid.Int64Range(0, int64(5*time.Second)), len(steps), len(steps)).Draw(rt, "pauses")
		var failure string
		synctest.Test(t, func(t *testing.T) { failure = play(t, config, steps, pauses, answers) })
		if failure != "" {
			rt.Fatal(failure)
		}
	}
	rapid.Check(t, check)
}

// play drives one limiter, and returns what went wrong.
func play(t *testing.T, config AdaptiveConfig, steps []int, pauses []int64, answers []Answer) string {
	a := newAdaptive(t, config)
	var taken []time.Time
	var quietUntil time.Time
	early := false
	take := func(got bool) {
		if got {
			taken = append(taken, time.Now())
			early = early || time.Now().Before(quietUntil)
		}
	}
	for i, step := range steps {
		switch step - len(answers) {
		case 0, 1:
			take(a.TryAccept())
		case 2:
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(pauses[i]))
			take(a.Wait(ctx) == nil)
			cancel()
		case 3:
			time.Sleep(time.Duration(pauses[i]))
		default:
			answer := answers[step]
			a.Observe(answer)
			if until := time.Now().Add(answer.RetryAfter); answer.RetryAfter > 0 && until.After(quietUntil) {
				quietUntil = until
			}
		}
		if early {
			return "a token was taken before the Retry-After had passed"
		}
		if err := a.verify(); err != nil {
			return err.Error()
		}
	}
	return tooFast(taken, a.law.config)
}

func tooFast(taken []time.Time, config AdaptiveConfig) string {
	if math.IsInf(config.MaxRate, 1) {
		return ""
	}
	for i := range taken {
		for j := i; j < len(taken); j++ {
			allowed := float64(config.Burst) + config.MaxRate*taken[j].Sub(taken[i]).Seconds()
			if float64(j-i+1) > allowed+1e-6 {
				return "more tokens were taken than the ceiling and the burst allow"
			}
		}
	}
	return ""
}

// Many callers, a server that takes 50 requests a second and pushes back on the rest: the limiter finds about that rate,
// and every caller gets through.
func TestAdaptiveManyCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const capacity, callers, duration = 50, 100, 2 * time.Minute
		a := newAdaptive(t, AdaptiveConfig{})
		server := &server{capacity: capacity}
		ctx, cancel := context.WithTimeout(t.Context(), duration)
		defer cancel()
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				random := rand.New(rand.NewPCG(1, 2))
				for a.Wait(ctx) == nil {
					time.Sleep(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
					a.Observe(server.ask())
				}
			})
		}
		all.Wait()
		if err := a.verify(); err != nil {
			t.Error(err)
		}
		served, refused := server.served, server.refused
		if want := int(capacity * duration.Seconds()); served < want/4 {
			t.Errorf("%d requests were served; the server could have served %d", served, want)
		}
		if refused > served/2 {
			t.Errorf("%d requests were refused and %d served", refused, served)
		}
		t.Logf("served %d of a possible %d, refused %d", served, int(capacity*duration.Seconds()), refused)
	})
}

// server serves so many requests in each second, and refuses the others for a second.
type server struct {
	mu              sync.Mutex
	capacity        int
	second          int64
	inSecond        int
	served, refused int
}

func (s *server) ask() Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now().Unix(); now != s.second {
		s.second, s.inSecond = now, 0
	}
	if s.inSecond == s.capacity {
		s.refused++
		return Answer{StatusCode: 429, RetryAfter: time.Second}
	}
	s.inSecond++
	s.served++
	return ok
}
