// Package flowcontrol limits the rate of requests of a client.
//
// # The types
//
//	RateLimiter         Accept, Wait, TryAccept      NewTokenBucketRateLimiter, NewAdaptive
//	PassiveRateLimiter  TryAccept only               NewTokenBucketPassiveRateLimiter
//	Adaptive            adapts to the server         NewAdaptive(AdaptiveConfig)
//	Observer            receives the results of requests from package rest; Adaptive is one
//	Backoff             a growing delay for each id  NewBackOff, NewBackOffWithJitter
//
// [NewFakeAlwaysRateLimiter], [NewFakeNeverRateLimiter] and the constructors that take a clock are for tests. Everything
// except [Adaptive], [Observer] and [Answer] is as in client-go's util/flowcontrol. Everything is safe for concurrent use,
// and there are no goroutines.
//
// # The adaptive limiter
//
// A fixed rate is always wrong: too low for an idle server, too high for an overloaded one. The API server signals
// overload with 429 Too Many Requests. Adaptive reacts as follows.
//
// Let r be the rate in tokens per second, floor and ceiling be MinRate and MaxRate (the ceiling may be infinite), and
// used be min(r, max(floor, the tokens taken in the last second)).
//
//		the server answered                           what follows
//		429, or 5xx with a Retry-After, after t       r ← max(floor, Decrease × used); no token before t + Retry-After
//		1xx to 4xx other than 429                     r rises, along a straight line
//		5xx without Retry-After, or not at all        nothing: that says nothing about how much the server can take
//
//	  - One decrease a second at most, and none during a Retry-After: when a hundred requests are under way, a hundred
//	    429 come back, and they are one piece of news. Retry-Afters of all of them count.
//	  - The decrease starts from what was used and not from what was allowed. A limit of 1000 that is lowered to 500 means
//	    nothing to a client that sends 50.
//	  - The line leads from r after the decrease to the ceiling, or without a ceiling to what was used when the server
//	    began to push back; and it takes Recovery, counted from the end of the Retry-After. At its end r is the ceiling.
//	  - Good answers are what carries r up the line: each adds the time since the one before, but not more than a second (or
//	    twice the time between two tokens, if that is longer). So a client that is silent does not recover by silence, and
//	    one that gets good answers at least that often is back at the ceiling Recovery after the last pushback.
//	  - Tokens are saved up to Burst. A pushback takes the savings away, and during a Retry-After nothing is saved, so that a
//	    pause does not end in a burst.
//
// What always holds:
//
//   - floor ≤ r ≤ ceiling. In any stretch of time t at most Burst + ceiling × t tokens are taken.
//   - No token is taken before the Retry-After of any answer has passed, up to MaxRetryAfter.
//   - Waiting callers are served in the order in which they came. One that gives up takes no token.
//   - TryAccept does not overtake callers that wait.
//
// The limiter is for one server: share it between all clients of that server. It limits how often requests start and
// not how many are in flight, because it is not informed when a watch or a stream ends.
package flowcontrol
