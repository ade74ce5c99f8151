package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"vedette.dev/rest"
)

// writer is the handler of a listener that writes to a sink.
type writer struct {
	b          *Broadcaster
	sink       EventSink
	correlator *EventCorrelator
}

func (w *writer) handle(ctx context.Context, event *corev1.Event) {
	outcome := &w.b.counts.failed // also if the sink panics
	defer func() { outcome.Add(1) }()
	result, err := w.correlator.EventCorrelate(event)
	switch {
	case err != nil:
		w.giveUp(aboutRejection, "an event cannot be written", event, err)
	case result.Skip:
		outcome = &w.b.counts.filtered
	case w.write(ctx, result):
		outcome = &w.b.counts.written
	}
}

// write tells whether the event was written. A server that says no is believed; one that says nothing is asked again, and
// until then other events wait.
func (w *writer) write(ctx context.Context, result *EventCorrelateResult) bool {
	delay := rand.N(w.b.config.RetryDelay) // so that not all clients come back at the same moment
	for try := 1; ; try++ {
		err := w.once(ctx, result, try > 1)
		switch {
		case err == nil:
			return true
		case isAnswer(err):
			w.giveUp(aboutRejection, "an event was rejected", result.Event, err)
			return false
		case try >= w.b.config.Tries:
			w.giveUp(aboutFailure, fmt.Sprintf("an event could not be written in %d tries", try), result.Event, err)
			return false
		}
		w.trouble(aboutRetry, slog.LevelWarn, "an event could not be written yet", result.Event, err)
		if !w.b.pause(ctx, delay) {
			w.giveUp(aboutFailure, "an event could not be written before the end", result.Event, err)
			return false
		}
		w.b.counts.retried.Add(1)
		delay = w.b.config.RetryDelay
	}
}

// once patches an event that is known, and creates it if it is not, or no longer.
func (w *writer) once(ctx context.Context, result *EventCorrelateResult, again bool) error {
	var written *corev1.Event
	var err error
	known := result.Event.Count > 1
	if known {
		written, err = w.patch(ctx, result.Event, result.Patch)
	}
	if !known || apierrors.IsNotFound(err) {
		result.Event.ResourceVersion = ""
		written, err = w.create(ctx, result.Event)
		if again && apierrors.IsAlreadyExists(err) {
			// It is ours: the server got it last time, and we did not get the answer.
			return nil
		}
	}
	if err != nil {
		return err
	}
	w.correlator.written(result, written)
	return nil
}

func (w *writer) create(ctx context.Context, event *corev1.Event) (*corev1.Event, error) {
	sink, ok := w.sink.(ContextEventSink)
	if !ok {
		return w.sink.Create(event)
	}
	ctx, cancel := context.WithTimeout(ctx, w.b.config.WriteTimeout)
	defer cancel()
	return sink.CreateWithContext(ctx, event)
}

func (w *writer) patch(ctx context.Context, event *corev1.Event, data []byte) (*corev1.Event, error) {
	sink, ok := w.sink.(ContextEventSink)
	if !ok {
		return w.sink.Patch(event, data)
	}
	ctx, cancel := context.WithTimeout(ctx, w.b.config.WriteTimeout)
	defer cancel()
	return sink.PatchWithContext(ctx, event, data)
}

// isAnswer tells whether asking again would bring the same: the server has spoken, or the request cannot be made.
func isAnswer(err error) bool {
	var status *apierrors.StatusError
	var construction *rest.RequestConstructionError
	return errors.As(err, &status) || errors.As(err, &construction)
}

// giveUp says why an event is not written. That its namespace is about to go, or its name is taken, is no trouble.
func (w *writer) giveUp(topic topic, message string, event *corev1.Event, err error) {
	level := slog.LevelError
	if apierrors.IsAlreadyExists(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		level = slog.LevelDebug
	}
	w.trouble(topic, level, message, event, err)
}

func (w *writer) trouble(topic topic, level slog.Level, message string, event *corev1.Event, err error) {
	w.b.counts.lastError.Store(&err)
	w.b.complain(w.b.config.Logger, topic, level, message, "error", err, "event", nameOf(event), "reason", event.Reason,
		"object", event.InvolvedObject.Kind+" "+event.InvolvedObject.Namespace+"/"+event.InvolvedObject.Name)
}

// pause waits, and tells whether to go on. It does not wait when the end has come.
func (b *Broadcaster) pause(ctx context.Context, delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-b.closing:
		return false
	case <-ctx.Done():
		return false
	case <-timer.C:
		return !b.isClosing()
	}
}

func nameOf(event *corev1.Event) string { return event.Namespace + "/" + event.Name }
