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
		w.giveUp(aboutRejection, "Event cannot be correlated", event, err)
	case result.Skip:
		outcome = &w.b.counts.filtered
	case w.write(ctx, result):
		outcome = &w.b.counts.written
	}
}

// write reports whether the event was written. It is retried only if the server did not answer; meanwhile later events
// wait.
func (w *writer) write(ctx context.Context, result *EventCorrelateResult) bool {
	delay := rand.N(w.b.config.RetryDelay) // jitter, so that clients do not retry in lockstep
	for try := 1; ; try++ {
		err := w.once(ctx, result, try > 1)
		switch {
		case err == nil:
			return true
		case isAnswer(err):
			w.giveUp(aboutRejection, "Event rejected by the server", result.Event, err)
			return false
		case try >= w.b.config.Tries:
			w.giveUp(aboutFailure, "Event not written, giving up", result.Event, fmt.Errorf("%d attempts: %w", try, err))
			return false
		}
		w.report(aboutRetry, slog.LevelWarn, "Event not written, retrying", result.Event, err)
		if !w.b.pause(ctx, delay) {
			w.giveUp(aboutFailure, "Event not written before shutdown", result.Event, err)
			return false
		}
		w.b.counts.retried.Add(1)
		delay = w.b.config.RetryDelay
	}
}

// once patches an event that was written before, and creates it if it was not, or no longer exists.
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
			// It was created by the previous attempt, whose answer was lost.
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

// isAnswer reports whether a retry would have the same result: the server has answered, or the request is invalid.
func isAnswer(err error) bool {
	var status *apierrors.StatusError
	var construction *rest.RequestConstructionError
	return errors.As(err, &status) || errors.As(err, &construction)
}

// giveUp reports that an event is not written. A terminating namespace or an existing event is logged at debug level
// only.
func (w *writer) giveUp(topic topic, message string, event *corev1.Event, err error) {
	level := slog.LevelError
	if apierrors.IsAlreadyExists(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		level = slog.LevelDebug
	}
	w.report(topic, level, message, event, err)
}

func (w *writer) report(topic topic, level slog.Level, message string, event *corev1.Event, err error) {
	w.b.counts.lastError.Store(&err)
	w.b.complain(w.b.config.Logger, topic, level, message, "err", err, "event", nameOf(event), "reason", event.Reason,
		"object", event.InvolvedObject.Kind+" "+event.InvolvedObject.Namespace+"/"+event.InvolvedObject.Name)
}

// pause waits, and reports whether to retry. It does not wait during shutdown.
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
