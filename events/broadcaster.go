package events

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	typedeventsv1 "vedette.dev/kubernetes/typed/events/v1"
	"vedette.dev/record"
)

// broadcaster is a broadcaster of package record. Its events are of core/v1, in which everything fits, until they reach a
// listener.
type broadcaster struct {
	record record.EventBroadcaster
	sink   EventSink
	closed atomic.Bool
}

var (
	_ EventBroadcaster   = (*broadcaster)(nil)
	_ record.StatsReader = (*broadcaster)(nil)
)

var errShutdown = errors.New("events: broadcaster was shut down")

// NewBroadcaster returns a broadcaster. It does nothing until it has a listener. It panics if the sink is nil.
func NewBroadcaster(sink EventSink) EventBroadcaster {
	return newBroadcaster(context.Background(), sink)
}

// newBroadcaster returns a broadcaster that shuts down with a context, and logs to the logger in it.
func newBroadcaster(ctx context.Context, sink EventSink) *broadcaster {
	if sink == nil {
		panic("events: NewBroadcaster: sink is nil")
	}
	return &broadcaster{sink: sink, record: record.NewBroadcaster(record.WithContext(ctx), record.WithCorrelatorOptions(record.CorrelatorOptions{
		// All similar events are one, from the first on.
		MaxEvents:   1,
		KeyFunc:     func(e *corev1.Event) (string, string) { return series(e), "" },
		MessageFunc: func(e *corev1.Event) string { return e.Message },
		SpamKeyFunc: series,
	}))}
}

// series returns the key of events that differ at most in their notes.
func series(e *corev1.Event) string {
	parts := []string{e.Type, e.Action, e.Reason, e.ReportingController, e.ReportingInstance}
	for _, object := range []*corev1.ObjectReference{&e.InvolvedObject, e.Related} {
		if object != nil {
			parts = append(parts, object.APIVersion, object.Kind, object.Namespace, object.Name, string(object.UID), object.ResourceVersion, object.FieldPath)
		}
	}
	return strings.Join(parts, "\x00")
}

// NewRecorder implements EventBroadcaster.
func (b *broadcaster) NewRecorder(scheme *runtime.Scheme, reportingController string) EventRecorderLogger {
	host, _ := os.Hostname()
	source := corev1.EventSource{Component: reportingController, Host: reportingController + "-" + host}
	return record.NewEventRecorderAdapter(b.record.NewRecorder(scheme, source))
}

// StartRecordingToSink implements EventBroadcaster.
func (b *broadcaster) StartRecordingToSink(stopCh <-chan struct{}) {
	w := b.record.StartRecordingToSink(sink{b.sink})
	go func() {
		select {
		case <-stopCh:
			w.Stop()
		case <-w.ResultChan(): // closed after Shutdown
		}
	}()
}

// StartRecordingToSinkWithContext implements EventBroadcaster.
func (b *broadcaster) StartRecordingToSinkWithContext(ctx context.Context) error {
	if b.closed.Load() {
		return errShutdown
	}
	b.StartRecordingToSink(ctx.Done())
	return nil
}

// StartEventWatcher implements EventBroadcaster.
func (b *broadcaster) StartEventWatcher(eventHandler func(event runtime.Object)) (func(), error) {
	if b.closed.Load() {
		return nil, errShutdown
	}
	if eventHandler == nil {
		return nil, errors.New("events: StartEventWatcher: function is nil")
	}
	return b.watch(func(e *corev1.Event) { eventHandler(typedeventsv1.FromCore(e)) }).Stop, nil
}

// StartLogging implements EventBroadcaster.
func (b *broadcaster) StartLogging(logger logr.Logger) (func(), error) {
	if b.closed.Load() {
		return nil, errShutdown
	}
	return b.watch(func(e *corev1.Event) { logger.Info("event", describe(e)...) }).Stop, nil
}

// StartStructuredLogging implements EventBroadcaster.
func (b *broadcaster) StartStructuredLogging(verbosity int) func() {
	level := slog.LevelInfo - slog.Level(max(verbosity, 0))
	return b.watch(func(e *corev1.Event) { slog.Log(context.Background(), level, "event", describe(e)...) }).Stop
}

func (b *broadcaster) watch(handler func(*corev1.Event)) watch.Interface {
	return b.record.StartEventWatcher(handler)
}

func describe(e *corev1.Event) []any {
	about := &e.InvolvedObject
	return []any{"object", about.Namespace + "/" + about.Name, "kind", about.Kind, "apiVersion", about.APIVersion,
		"type", e.Type, "reason", e.Reason, "action", e.Action, "note", e.Message}
}

// Stats returns the counters: see record.Stats.
func (b *broadcaster) Stats() record.Stats { return record.StatsOf(b.record) }

// Shutdown implements EventBroadcaster.
func (b *broadcaster) Shutdown() {
	b.closed.Store(true)
	b.record.Shutdown()
}
