package events

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/record"
)

type adapter struct {
	client kubernetes.Interface
	new    *broadcaster // nil if the server has no events.k8s.io/v1
	legacy record.EventBroadcaster
}

// NewEventBroadcasterAdapter is NewEventBroadcasterAdapterWithContext without a context.
func NewEventBroadcasterAdapter(client kubernetes.Interface) EventBroadcasterAdapter {
	return NewEventBroadcasterAdapterWithContext(context.Background(), client)
}

// NewEventBroadcasterAdapterWithContext asks the server whether it has events.k8s.io/v1, and returns broadcasters for what
// it has. They shut down when the context ends, and log to the logr.Logger in it, if there is one.
func NewEventBroadcasterAdapterWithContext(ctx context.Context, client kubernetes.Interface) EventBroadcasterAdapter {
	a := &adapter{client: client, legacy: record.NewBroadcaster(record.WithContext(ctx))}
	if _, err := client.Discovery().ServerResourcesForGroupVersionWithContext(ctx, eventsv1.SchemeGroupVersion.String()); err == nil {
		a.new = newBroadcaster(ctx, &EventSinkImpl{Interface: client.EventsV1()})
	}
	return a
}

// StartRecordingToSink implements EventBroadcasterAdapter.
func (a *adapter) StartRecordingToSink(stopCh <-chan struct{}) {
	if a.new != nil {
		a.new.StartRecordingToSink(stopCh)
	}
	a.legacy.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: a.client.CoreV1().Events("")})
}

// NewRecorder implements EventBroadcasterAdapter.
func (a *adapter) NewRecorder(name string) EventRecorderLogger {
	if a.new != nil {
		return a.new.NewRecorder(scheme.Scheme, name)
	}
	return record.NewEventRecorderAdapter(a.DeprecatedNewLegacyRecorder(name))
}

// DeprecatedNewLegacyRecorder implements EventBroadcasterAdapter.
func (a *adapter) DeprecatedNewLegacyRecorder(name string) record.EventRecorderLogger {
	return a.legacy.NewRecorder(scheme.Scheme, corev1.EventSource{Component: name})
}

// Shutdown implements EventBroadcasterAdapter.
func (a *adapter) Shutdown() {
	a.legacy.Shutdown()
	if a.new != nil {
		a.new.Shutdown()
	}
}
