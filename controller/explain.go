package controller

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// Stage is the stage that a key is in between event and reconcile.
type Stage string

const (
	// StageNotRunning means that the controller has not started, or has stopped.
	StageNotRunning Stage = "controller not running"
	// StageNotWatched means that a source has no working watch.
	StageNotWatched Stage = "not watched"
	// StageNotReady means that the controller waits for its sources to become ready.
	StageNotReady Stage = "waiting for the sources"
	// StageNotDelivered means that an informer has notifications that it has not delivered to the source yet.
	StageNotDelivered Stage = "not delivered yet"
	// StageUnknown means that no source has an object or a recent event for the key.
	StageUnknown Stage = "unknown"
	// StageFiltered means that a predicate filtered the last event of the key.
	StageFiltered Stage = "filtered"
	// StageWaiting means that the key waits for a worker.
	StageWaiting Stage = "waiting for its turn"
	// StageBackingOff means that the key failed and waits for its next retry.
	StageBackingOff Stage = "backing off"
	// StageDelayed means that the last reconcile asked to be called again later.
	StageDelayed Stage = "delayed"
	// StageWorking means that the key is being reconciled.
	StageWorking Stage = "being worked on"
	// StageThrottled means that the reconcile waits for the rate limiter of its client.
	StageThrottled Stage = "being worked on: throttled by the client"
	// StageRequesting means that the reconcile waits for a response of the API server.
	StageRequesting Stage = "being worked on: waiting for the server"
	// StageGivenUp means that the last reconcile returned an error marked Terminal.
	StageGivenUp Stage = "given up"
	// StageDone means that nothing is left to do for the key.
	StageDone Stage = "done"

	// stageBetween means that the key moved from one stage to another while Explain looked for it.
	stageBetween Stage = "between two stages"
)

// Explanation is the stage that a key is in, and how it got there.
type Explanation struct {
	Controller string `json:"controller"`
	Key        string `json:"key"`
	// Stage is the current stage, Because the reason, as a sentence.
	Stage   Stage  `json:"stage"`
	Because string `json:"because"`
	// Since is when the stage began, Until when it ends by itself; zero if unknown.
	Since time.Time `json:"since,omitzero"`
	Until time.Time `json:"until,omitzero"`
	// Failures is the number of consecutive failures, as far as the records go back; LastError is the text of the last
	// error, if it is still known.
	Failures  int    `json:"failures,omitempty"`
	LastError string `json:"lastError,omitempty"`
	// Sources is what each source knows about the key.
	Sources []SourceExplanation `json:"sources,omitempty"`
	// History is what the records contain about the key, oldest first. Old records are overwritten by new ones.
	History []Record `json:"history,omitempty"`
}

// SourceExplanation is what one source knows about a key.
type SourceExplanation struct {
	Source string `json:"source"`
	Ready  bool   `json:"ready"`
	// Error is the error of the source, empty if there is none.
	Error string `json:"error,omitempty"`
	// Cached is the resource version of the object in the store: "?" if it has none, "-" if there is no such object,
	// and empty if the store is keyed by other names.
	Cached string `json:"cached,omitempty"`
	// Waiting is the number of undelivered notifications, LastEvent the time of the last response of the server.
	Waiting   int       `json:"waiting,omitempty"`
	LastEvent time.Time `json:"lastEvent,omitzero"`
	// Panics is the number of predicate and mapping function calls that panicked, LastPanic the value of the last
	// panic.
	Panics    uint64 `json:"panics,omitempty"`
	LastPanic string `json:"lastPanic,omitempty"`

	observed    bool
	observation Observation
}

// Explain returns the stage that a key is in, and why.
func (c *Controller[K]) Explain(key K) Explanation {
	e := c.explain(key)
	// Queue, workers and records are read one after the other. A key that moves between them may be missed by all.
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
	// The last error is kept after the key has recovered.
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

// ExplainString is like Explain for a key in text form.
func (c *Controller[K]) ExplainString(text string) (Explanation, error) {
	if text == "" {
		return Explanation{}, fmt.Errorf("controller %s: empty key; want a key such as default/name", c.Name())
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
	s.Waiting, s.LastEvent = o.Handler.Waiting, o.Informer.LastEvent
	s.Panics, s.LastPanic = o.Handler.Panics, o.Handler.LastPanic
	// An informer without state has the zero State.
	if err := o.Informer.Err(); err != nil && o.Informer.Type != "" {
		s.Error = err.Error()
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

// String returns the explanation as text for people to read.
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
	if !s.LastEvent.IsZero() {
		line += ", last response of the server at " + s.LastEvent.Format("15:04:05.000")
	}
	if s.Error != "" {
		line += ": " + s.Error
	}
	return line
}
