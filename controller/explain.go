package controller

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// Stage is where a key is on its way.
type Stage string

const (
	// StageNotRunning is a controller that has not begun, or has ended.
	StageNotRunning Stage = "controller not running"
	// StageNotWatched is a source that does not hear from the server, or has not yet.
	StageNotWatched Stage = "not watched"
	// StageNotReady is a controller that waits for its sources to bring what was there at the start.
	StageNotReady Stage = "waiting for the sources"
	// StageNotDelivered is a source that has heard of something, and is behind in telling of it.
	StageNotDelivered Stage = "not delivered yet"
	// StageUnknown is a key that no source has an object for, and none has told of.
	StageUnknown Stage = "unknown"
	// StageFiltered is a key of which the last thing that happened was left out by a predicate.
	StageFiltered Stage = "filtered"
	// StageWaiting is a key that waits for a worker.
	StageWaiting Stage = "waiting for its turn"
	// StageBackingOff is a key that failed and waits for its next try.
	StageBackingOff Stage = "backing off"
	// StageDelayed is a key that asked to come again later.
	StageDelayed Stage = "delayed"
	// StageWorking is a key that is being reconciled.
	StageWorking Stage = "being worked on"
	// StageThrottled is one whose reconcile waits for the rate limiter of its client.
	StageThrottled Stage = "being worked on: throttled by the client"
	// StageRequesting is one whose reconcile waits for an answer of the API server.
	StageRequesting Stage = "being worked on: waiting for the server"
	// StageGivenUp is a key whose last reconcile ended with an error that is marked Terminal.
	StageGivenUp Stage = "given up"
	// StageDone is a key with which all is done that was asked for.
	StageDone Stage = "done"

	// stageBetween is a key that was on its way from one stage to another when it was looked for.
	stageBetween Stage = "between two stages"
)

// Explanation tells where a key is on its way, and how it got there.
type Explanation struct {
	Controller string `json:"controller"`
	Key        string `json:"key"`
	// Stage is where the key is now, Because why, in a sentence.
	Stage   Stage  `json:"stage"`
	Because string `json:"because"`
	// Since is when the stage began, Until when it ends by itself; zero if that is not known.
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
	// Failures is how many times in a row it has failed, as far as the records go; LastError what was said the last time, if that is
	// still known.
	Failures  int    `json:"failures,omitempty"`
	LastError string `json:"lastError,omitempty"`
	// Sources is what they know of the key.
	Sources []SourceExplanation `json:"sources,omitempty"`
	// History is what is recorded of the key, the oldest first. Older records make room for newer ones.
	History []Record `json:"history,omitempty"`
}

// SourceExplanation is what one source knows of a key.
type SourceExplanation struct {
	Source string `json:"source"`
	Ready  bool   `json:"ready"`
	// Trouble is what is wrong with the source, empty if nothing is.
	Trouble string `json:"trouble,omitempty"`
	// Cached is the version of the object in the store, "?" if it has no version, "-" if there is no such object, and empty if the
	// source has objects of other names.
	Cached string `json:"cached,omitempty"`
	// Waiting is how many notifications wait for the source, and Heard when the server was last heard of.
	Waiting int       `json:"waiting,omitempty"`
	Heard   time.Time `json:"heard,omitzero"`
	// Panics is how many calls of predicates and mapping functions panicked, LastPanic what the last said.
	Panics    uint64 `json:"panics,omitempty"`
	LastPanic string `json:"lastPanic,omitempty"`

	observed    bool
	observation Observation
}

// Explain tells where a key is on its way.
func (c *Controller[K]) Explain(key K) Explanation {
	e := c.explain(key)
	// Queue, workers and records are asked one after the other. A key that goes from one to the next meanwhile may be in none.
	for try := 0; e.Stage == stageBetween && try < 3; try++ {
		runtime.Gosched()
		e = c.explain(key)
	}
	if e.Stage == stageBetween {
		e.Stage = StageUnknown
	}
	return e
}

func (c *Controller[K]) explain(key K) Explanation {
	e := Explanation{Controller: c.Name(), Key: fmt.Sprint(key)}
	for i := range c.config.Sources {
		e.Sources = append(e.Sources, c.explainSource(i, key))
	}
	f := c.findings(key)
	e.History = c.history(key)
	f.read(e.History)
	e.Failures = f.failures
	// The words are kept after the trouble is over.
	if c.records != nil && f.lastEnd != nil && f.lastEnd.outcome.Failed() {
		e.LastError = c.records.Text(c.hasher.Hash(key))
	}
	for _, stage := range stages {
		if stage(&f, &e) {
			break
		}
	}
	e.sayHot()
	e.sayPanics()
	return e
}

// ExplainString is Explain for a key as somebody wrote it.
func (c *Controller[K]) ExplainString(text string) (Explanation, error) {
	if text == "" {
		return Explanation{}, fmt.Errorf("controller %s: the key is empty; it looks like default/name", c.Name())
	}
	key, err := c.config.ParseKey(text)
	if err != nil {
		return Explanation{}, fmt.Errorf("controller %s: key %q: %w", c.Name(), text, err)
	}
	return c.Explain(key), nil
}

func (c *Controller[K]) explainSource(i int, key K) SourceExplanation {
	s := SourceExplanation{Source: c.config.Sources[i].String(), Ready: c.ready[i].Load()}
	observer, ok := c.config.Sources[i].(Observer[K])
	if !ok {
		return s
	}
	o := observer.Observe(key)
	s.observed, s.observation = true, o
	s.Waiting, s.Heard = o.Handler.Waiting, o.Informer.LastEvent
	s.Panics, s.LastPanic = o.Handler.Panics, o.Handler.LastPanic
	// An informer that has no state to tell has the zero one.
	if err := o.Informer.Err(); err != nil && o.Informer.Type != "" {
		s.Trouble = err.Error()
	}
	switch {
	case o.Unknown:
	case o.Cached:
		s.Cached = cmp.Or(o.ResourceVersion, "?")
	default:
		s.Cached = "-"
	}
	return s
}

// String is the explanation for people to read.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s: %s", e.Controller, e.Key, e.Stage)
	if !e.Since.IsZero() {
		fmt.Fprintf(&b, " since %s", e.Since.Format(time.RFC3339))
	}
	if !e.Until.IsZero() {
		fmt.Fprintf(&b, " until %s", e.Until.Format(time.RFC3339))
	}
	fmt.Fprintf(&b, "\n  %s\n", e.Because)
	if e.LastError != "" {
		fmt.Fprintf(&b, "  last error: %s\n", e.LastError)
	}
	for _, s := range e.Sources {
		fmt.Fprintf(&b, "  source %s\n", s.line())
	}
	for _, r := range e.History {
		fmt.Fprintf(&b, "  %s\n", r)
	}
	return b.String()
}

func (s *SourceExplanation) line() string {
	line := s.Source
	if !s.Ready {
		line += ", not ready"
	}
	switch s.Cached {
	case "":
	case "-":
		line += ", no such object in the cache"
	default:
		line += ", version " + s.Cached + " in the cache"
	}
	if !s.Heard.IsZero() {
		line += ", last heard of the server at " + s.Heard.Format("15:04:05.000")
	}
	if s.Trouble != "" {
		line += ": " + s.Trouble
	}
	return line
}
