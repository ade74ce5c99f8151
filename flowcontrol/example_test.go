package flowcontrol_test

import (
	"context"
	"fmt"
	"time"

	"vedette.dev/flowcontrol"
)

// A limiter that follows the server. Package rest does the last two steps for a Config that has it as its RateLimiter.
func ExampleNewAdaptive() {
	limiter, err := flowcontrol.NewAdaptive(flowcontrol.AdaptiveConfig{MaxRate: 100, MinRate: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("before:", limiter.QPS())
	if err := limiter.Wait(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	limiter.Observe(flowcontrol.Answer{StatusCode: 429, RetryAfter: time.Second})
	fmt.Println("after the server pushed back:", limiter.QPS())
	// Output:
	// before: 100
	// after the server pushed back: 2
}
