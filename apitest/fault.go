package apitest

import (
	"time"
)

// Fault is trouble to make: what happens, to which requests, and how often. See [Server.Inject], [Config.Faults], and
// [ParseFault] for its form as text.
type Fault struct {
	// Match says which requests it happens to. The zero value is all of them.
	Match Match
	// Effect is what happens.
	Effect Effect

	// Delay is how long Slow and Lag take, how long Trickle waits before each piece, and how long a watch lasts before End.
	Delay time.Duration
	// Bytes is how much is sent before Cut and Silence, and at a time by Trickle. 0 means half of the answer or frame for Cut,
	// nothing for Silence, and 64 for Trickle.
	Bytes int
	// RetryAfter is what answers with 429 and 5xx tell the client, in whole seconds. 0 means what the real server says: a
	// second with 429 and 503, and nothing with others.
	RetryAfter time.Duration

	// After is how many matches are left alone before the first is hit.
	After int
	// Times is how many are hit. 0 means all, until the fault is removed.
	Times int
	// Probability is that of being hit, for each match after the first After. 0 means 1.
	Probability float64
	// Seed makes another sequence of the same probability. The same seed makes the same one.
	Seed uint64
}

// Match says which requests a fault happens to, in the words of authorization rules. What is left empty does not matter.
type Match struct {
	// Verbs are get, list, watch, create, update, patch, delete and deletecollection. For paths that are not of objects they
	// are methods in lower case.
	Verbs []string
	// Resource is the plural, such as pods, with a dot and the group if that matters: deployments.apps.
	Resource string
	// Subresource is one of the resource, or * for any. If it is empty and Resource is not, only requests without one match.
	Subresource string
	// Namespace and Name are those of the request. For an effect on events and for Garbage, they are those of the object:
	// a watch of all namespaces has events in each.
	Namespace, Name string
	// User is the name of who asks.
	User string
	// Path is how the path begins. It is for what is not of objects, such as discovery.
	Path string
}

// Effect is what happens to a request. There are four sorts, which differ in what is counted by After, Times, Probability
// and [Injection.Hits]:
//
//   - Answers come in place of what the request asks for, which is not done.
//   - Trouble with the connection comes while the request is done. For a watch, Cut counts frames; the others, requests.
//   - Ends of a watch count watches. Those that are under way are hit when the fault is injected.
//   - Effects on events count frames, of watches that are under way, too.
type Effect string

// Answers. Each has the words of the real server.
const (
	AnswerUnauthorized    Effect = "401"
	AnswerForbidden       Effect = "403"
	AnswerNotFound        Effect = "404" // the object, or the resource if none is named
	AnswerConflict        Effect = "409" // or that it exists, to a creation
	AnswerExpired         Effect = "410" // with the reason Expired
	AnswerGone            Effect = "410-gone"
	AnswerTooManyRequests Effect = "429" // as priority and fairness does: in plain text
	AnswerInternalError   Effect = "500" // etcd has lost its leader
	AnswerBadGateway      Effect = "502" // a page of HTML, from a proxy
	AnswerUnavailable     Effect = "503" // the server is shutting down
	AnswerTimeout         Effect = "504"
	// AnswerConversionFailed is that of a custom kind whose conversion webhook cannot be reached. A watch ends, without a word
	// if it was under way, and with an error if it would begin with the newest state; from an older version on, it stays
	// and has no events. That is what the real server's cache does.
	AnswerConversionFailed Effect = "conversion-failed"
	// AnswerNoInitialEvents refuses sendInitialEvents, as a server without the feature WatchList. It leaves other
	// requests alone.
	AnswerNoInitialEvents Effect = "no-initial-events"
)

// Trouble with the connection. With HTTP/2, it is shared with other requests, and they share the trouble.
const (
	// Slow lets the answer begin late.
	Slow Effect = "slow"
	// Trickle sends the body in small pieces.
	Trickle Effect = "trickle"
	// Cut resets the connection in the middle of the answer; with a watch, in the middle of a frame.
	Cut Effect = "cut"
	// Silence makes the connection half-open: from now on, nothing is sent on it, nor is it closed, until the server or
	// the client does so. What the client sends is swallowed. A watch has its header sent before. Those that are
	// under way are hit when the fault is injected.
	Silence Effect = "silence"
	// Garbage makes objects undecodable, in whichever answer or event they are. What is around them is good, and so are
	// name, UID and version. It knows JSON and protobuf, not YAML and tables.
	Garbage Effect = "garbage"
)

// Ends of a watch.
const (
	// End ends a watch after Delay, as the server does when its time is over. Without a Delay it has no events.
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
	Duplicate     Effect = "duplicate"       // the event comes twice; bookmarks do not
	Lag           Effect = "lag"             // each frame comes late; the order stays
)

// sort is when an effect happens.
type sort int

const (
	unknown sort = iota
	onRequest
	onWatch
	onFrame
)

// traits are what the engine and the checks know of an effect.
type traits struct {
	sort sort
	// watches says that it makes no sense for anything but watches.
	watches bool
	// The parameters that it takes. A delay that is needed is not optional.
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

// sortFor is when the effect happens to this request: with watches, some do later than with others.
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
