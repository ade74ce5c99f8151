package flowcontrol

import (
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var (
	ok       = Answer{StatusCode: http.StatusOK}
	tooMany  = Answer{StatusCode: http.StatusTooManyRequests}
	unlucky  = Answer{StatusCode: http.StatusInternalServerError}
	holdOff  = Answer{StatusCode: http.StatusTooManyRequests, RetryAfter: 3 * time.Second}
	overload = Answer{StatusCode: http.StatusServiceUnavailable, RetryAfter: 2 * time.Second}
	broken   = Answer{Err: errors.New("connection reset")}
)

func newAdaptive(t *testing.T, config AdaptiveConfig) *Adaptive {
	t.Helper()
	a, err := NewAdaptive(config)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAdaptiveWithoutPushbackHasNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdaptive(t, AdaptiveConfig{})
		start := time.Now()
		for range 10_000 {
			a.Accept()
			a.Observe(ok)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("10000 tokens took %v", d)
		}
		if !math.IsInf(float64(a.QPS()), 1) {
			t.Errorf("QPS is %v", a.QPS())
		}
	})
}

func TestAdaptivePushback(t *testing.T) {
	for name, test := range map[string]struct {
		answer Answer
		rate   float64
		hold   time.Duration
	}{
		"429":                      {tooMany, 50, 0},
		"429 with Retry-After":     {holdOff, 50, 3 * time.Second},
		"503 with Retry-After":     {overload, 50, 2 * time.Second},
		"503 without":              {Answer{StatusCode: 503}, math.Inf(1), 0},
		"500":                      {unlucky, math.Inf(1), 0},
		"no answer":                {broken, math.Inf(1), 0},
		"404":                      {Answer{StatusCode: 404}, math.Inf(1), 0},
		"an endless Retry-After":   {Answer{StatusCode: 429, RetryAfter: math.MaxInt64}, 50, 5 * time.Minute},
		"a negative Retry-After":   {Answer{StatusCode: 429, RetryAfter: -time.Hour}, 50, 0},
		"a Retry-After on success": {Answer{StatusCode: 200, RetryAfter: time.Hour}, math.Inf(1), 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAdaptive(t, AdaptiveConfig{})
				for range 100 {
					a.Accept()
				}
				start := time.Now()
				a.Observe(test.answer)
				state := a.State()
				if state.Rate != test.rate {
					t.Errorf("the rate is %v, want %v", state.Rate, test.rate)
				}
				if held := max(0, state.HeldUntil.Sub(start)); held != test.hold {
					t.Errorf("held for %v, want %v", held, test.hold)
				}
				a.Accept()
				want := test.hold
				if !math.IsInf(test.rate, 1) {
					want += time.Second / 50
				}
				if d := time.Since(start); d != want {
					t.Errorf("the next token came after %v, want %v", d, want)
				}
			})
		})
	}
}

// A hundred requests that were under way come back with 429: that is one decrease.
func TestAdaptiveManyPushbacksAtOnceAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdaptive(t, AdaptiveConfig{})
		for range 100 {
			a.Accept()
		}
		for range 100 {
			a.Observe(holdOff)
			time.Sleep(20 * time.Millisecond) // they come in over two seconds
		}
		if s := a.State(); s.Rate != 50 || s.Pushbacks != 100 {
			t.Errorf("after 100 pushbacks at once: %+v", s)
		}
		time.Sleep(time.Until(a.State().HeldUntil))
		a.Accept()
		a.Observe(holdOff)
		if s := a.State(); s.Rate != 1 { // one token in the last second, halved, but not below the floor
			t.Errorf("after the next round: %+v", s)
		}
	})
}

func TestAdaptiveRecoversWithinRecovery(t *testing.T) {
	for name, config := range map[string]AdaptiveConfig{
		"no ceiling":  {},
		"ceiling":     {MaxRate: 200, Recovery: time.Minute},
		"low floor":   {MaxRate: 200, MinRate: 0.1, Recovery: 2 * time.Minute},
		"ceiling 0.5": {MaxRate: 0.5, Recovery: 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAdaptive(t, config)
				for range 20 {
					a.TryAccept()
				}
				a.Observe(holdOff)
				end := a.State().HeldUntil
				low, ceiling := a.State().Rate, a.law.config.MaxRate
				for before := low; a.State().Rate < ceiling; before = a.State().Rate {
					if before > a.State().Rate {
						t.Fatalf("the rate fell from %v to %v without a pushback", before, a.State().Rate)
					}
					a.Accept()
					a.Observe(ok)
				}
				took, want := time.Since(end), a.law.config.Recovery
				slack := time.Duration(2 / low * float64(time.Second))
				if took < want || took > want+slack {
					t.Errorf("recovered from %v after %v, want %v and at most %v more", low, took, want, slack)
				}
			})
		})
	}
}

func TestAdaptiveDoesNotRecoverBySilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAdaptive(t, AdaptiveConfig{MaxRate: 100})
		a.Observe(tooMany)
		low := a.State().Rate
		time.Sleep(time.Hour)
		for range 3 {
			a.Observe(broken)
			a.Observe(unlucky)
		}
		if r := a.State().Rate; r != low {
			t.Errorf("the rate went from %v to %v while nothing was answered well", low, r)
		}
		a.Observe(ok) // counts as two tokens' worth of time, not an hour
		if r := a.State().Rate; r <= low || r > 10 {
			t.Errorf("the rate went from %v to %v with one good answer", low, r)
		}
	})
}

func TestAdaptiveConfigNamesTheBadField(t *testing.T) {
	nan := math.NaN()
	for field, configs := range map[string][]AdaptiveConfig{
		"MaxRate":       {{MaxRate: -1}, {MaxRate: nan}},
		"MinRate":       {{MinRate: -1}, {MinRate: nan}, {MinRate: math.Inf(1)}, {MinRate: 5, MaxRate: 4}},
		"InitialRate":   {{InitialRate: -1}, {InitialRate: nan}, {InitialRate: 5, MaxRate: 4}, {InitialRate: 0.5}},
		"Burst":         {{Burst: -1}},
		"Decrease":      {{Decrease: -0.1}, {Decrease: 1}, {Decrease: nan}},
		"Recovery":      {{Recovery: -1}},
		"MaxRetryAfter": {{MaxRetryAfter: -1}},
	} {
		for _, config := range configs {
			if _, err := NewAdaptive(config); err == nil || !strings.Contains(err.Error(), "AdaptiveConfig."+field+" ") {
				t.Errorf("%+v: %v, want an error that names %s", config, err, field)
			}
		}
	}
}
