package apitest

import (
	"time"
)

// Fault is a fault to inject: the effect, the requests it applies to, and how often. See [Server.Inject],
// [Config.Faults], and [ParseFault] for its text form.
type Fault struct {
	// Match selects the requests. The zero value means all of them.
	Match Match
	// Effect is what happens.
	Effect Effect

	// Delay is the delay of Slow and Lag, the delay of Trickle before each piece, and the duration of a watch before
	// End.
	Delay time.Duration
	// Bytes is how much is sent before Cut and Silence, and at a time by Trickle. 0 means half of the response or frame
	// for Cut, nothing for Silence, and 64 for Trickle.
	Bytes int
	// RetryAfter is the Retry-After header of responses with 429 and 5xx, in whole seconds. 0 means that of the real
	// server: a second with 429 and 503, and none with others.
	RetryAfter time.Duration

	// After is the number of matches that are skipped before the first hit.
	After int
	// Times is the number of hits. 0 means no limit, until the fault is removed.
	Times int
	// Probability is the probability of a hit, for each match after the first After. 0 means 1.
	Probability float64
	// Seed is the seed of the random sequence. The same seed gives the same sequence.
	Seed uint64
}

// Match selects requests, in terms of authorization rules. Empty fields match everything.
type Match struct {
	// Verbs are get, list, watch, create, update, patch, delete and deletecollection. For non-resource paths they are
	// methods in lower case.
	Verbs []string
	// Resource is the plural, such as pods, optionally with a dot and the group: deployments.apps.
	Resource string
	// Subresource is a subresource, or * for any. If it is empty and Resource is not, only requests without one match.
	Subresource string
	// Namespace and Name are those of the request. For effects on events and for Garbage, they are those of the object:
	// a watch of all namespaces has events in each.
	Namespace, Name string
	// User is the name of the user.
	User string
	// Path is a prefix of the path. It is for non-resource requests, such as discovery.
	Path string
}

// Effect is the effect of a fault. There are four groups, which differ in what is counted by After, Times, Probability
// and [Injection.Hits]:
//
//   - Answers replace the response; the request is not executed.
//   - Connection effects act while the request is executed. For a watch, [Cut] counts frames; the others, requests.
//   - Ends of a watch count watches. Watches that are running when the fault is injected are hit, too.
//   - Effects on events count frames, also those of watches that are already running.
type Effect string

// Answers. Each has the text of the real server.
const (
	AnswerUnauthorized    Effect = "401"
	AnswerForbidden       Effect = "403"
	AnswerNotFound        Effect = "404" // the object, or the resource if none is named
	AnswerConflict        Effect = "409" // or AlreadyExists, for a create
	AnswerExpired         Effect = "410" // with the reason Expired
	AnswerGone            Effect = "410-gone"
	AnswerTooManyRequests Effect = "429" // as by priority and fairness: in plain text
	AnswerInternalError   Effect = "500" // etcd leader changed
	AnswerBadGateway      Effect = "502" // a page of HTML, from a proxy
	AnswerUnavailable     Effect = "503" // the server is shutting down
	AnswerTimeout         Effect = "504"
	// AnswerConversionFailed is that of a custom kind whose conversion webhook cannot be reached. A running watch ends
	// without an error, and a new one that would start with the newest state with an error; one from an older version
	// stays open without events. That is what the cache of the real server does.
	AnswerConversionFailed Effect = "conversion-failed"
	// AnswerNoInitialEvents rejects sendInitialEvents, as a server without the feature WatchList. It does not affect
	// other requests.
	AnswerNoInitialEvents Effect = "no-initial-events"
)

// Connection effects. An HTTP/2 connection is shared with other requests, which are affected, too.
const (
	// Slow delays the beginning of the response.
	Slow Effect = "slow"
	// Trickle sends the body in small pieces.
	Trickle Effect = "trickle"
	// Cut resets the connection in the middle of the response; for a watch, in the middle of a frame.
	Cut Effect = "cut"
	// Silence makes the connection half-open: nothing is sent on it any more, and it is not closed, until the server or
	// the client does so. Data of the client is discarded. The header of a watch is sent before. Watches that are
	// running when the fault is injected are hit, too.
	Silence Effect = "silence"
	// Garbage makes objects undecodable, in any response or event. Their surroundings are intact, and so are name, UID
	// and version. It supports JSON and protobuf, but not YAML and tables.
	Garbage Effect = "garbage"
)

// Ends of a watch.
const (
	// End ends a watch after Delay, as its timeout does. Without a Delay there are no events.
	End Effect = "end"
	// The others end it with an event of type ERROR.
	EndExpired         Effect = "end-410"
	EndTooManyRequests Effect = "end-429"
	EndInternalError   Effect = "end-500"
)

// Effects on events.
const (
	NoBookmarks   Effect = "no-bookmarks"    // none at all
	NoEndBookmark Effect = "no-end-bookmark" // all but the one that ends the initial events
	Duplicate     Effect = "duplicate"       // the event is sent twice; bookmarks are not
	Lag           Effect = "lag"             // frames are delayed; their order is kept
)

// sort is the group of an effect.
type sort int

const (
	unknown sort = iota
	onRequest
	onWatch
	onFrame
)

// traits are the properties of an effect.
type traits struct {
	sort sort
	// watches means that it applies to watches only.
	watches bool
	// The parameters that it supports. A required delay is not optional.
	delay, needsDelay, bytes, retryAfter bool
}

var effects = map[Effect]traits{
	AnswerUnauthorized:     {sort: onRequest},
	AnswerForbidden:        {sort: onRequest},
	AnswerNotFound:         {sort: onRequest},
	AnswerConflict:         {sort: onRequest},
	AnswerExpired:          {sort: onRequest},
	AnswerGone:             {sort: onRequest},
	AnswerTooManyRequests:  {sort: onRequest, retryAfter: true},
	AnswerInternalError:    {sort: onRequest, retryAfter: true},
	AnswerBadGateway:       {sort: onRequest, retryAfter: true},
	AnswerUnavailable:      {sort: onRequest, retryAfter: true},
	AnswerTimeout:          {sort: onRequest, retryAfter: true},
	AnswerConversionFailed: {sort: onRequest},
	AnswerNoInitialEvents:  {sort: onRequest, watches: true},
	Slow:                   {sort: onRequest, needsDelay: true},
	Trickle:                {sort: onRequest, needsDelay: true, bytes: true},
	Cut:                    {sort: onRequest, bytes: true},
	Silence:                {sort: onRequest, bytes: true},
	Garbage:                {sort: onRequest},
	End:                    {sort: onWatch, watches: true, delay: true},
	EndExpired:             {sort: onWatch, watches: true},
	EndTooManyRequests:     {sort: onWatch, watches: true, retryAfter: true},
	EndInternalError:       {sort: onWatch, watches: true},
	NoBookmarks:            {sort: onFrame, watches: true},
	NoEndBookmark:          {sort: onFrame, watches: true},
	Duplicate:              {sort: onFrame, watches: true},
	Lag:                    {sort: onFrame, watches: true, needsDelay: true},
}

// sortFor returns the group of the effect for this request: some differ for watches.
func (e Effect) sortFor(watch bool) sort {
	if watch {
		switch e {
		case Cut, Garbage:
			return onFrame
		case Silence, AnswerConversionFailed:
			return onWatch
		}
	}
	return effects[e].sort
}
