// Package watch encodes and decodes the events of a watch with the codecs of k8s.io/apimachinery. Package rest does not
// use it; it is for programs that serve watches, or that have codecs of their own.
package watch

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"
)

// Decoder decodes events from a stream.
type Decoder struct {
	stream streaming.Decoder
	object runtime.Decoder
}

// NewDecoder returns a Decoder that uses decoder for the frames and embeddedDecoder for the objects in them.
func NewDecoder(decoder streaming.Decoder, embeddedDecoder runtime.Decoder) *Decoder {
	return &Decoder{stream: decoder, object: embeddedDecoder}
}

// Decode waits for the next event.
func (d *Decoder) Decode() (watch.EventType, runtime.Object, error) {
	var event metav1.WatchEvent
	res, _, err := d.stream.Decode(nil, &event)
	if err != nil {
		return "", nil, err
	}
	if res != &event {
		return "", nil, fmt.Errorf("unable to decode to metav1.WatchEvent: the stream decoder returned a %T", res)
	}
	switch watch.EventType(event.Type) {
	case watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, watch.Error:
	default:
		return "", nil, fmt.Errorf("got invalid watch event type: %v", event.Type)
	}
	obj, err := runtime.Decode(d.object, event.Object.Raw)
	if err != nil {
		return "", nil, fmt.Errorf("unable to decode watch event: %w", err)
	}
	return watch.EventType(event.Type), obj, nil
}

// Close closes the stream.
func (d *Decoder) Close() { _ = d.stream.Close() }

// Encoder encodes events to a stream.
type Encoder struct {
	stream streaming.Encoder
	object runtime.Encoder
}

// NewEncoder returns an Encoder that uses encoder for the frames and embeddedEncoder for the objects in them.
func NewEncoder(encoder streaming.Encoder, embeddedEncoder runtime.Encoder) *Encoder {
	return &Encoder{stream: encoder, object: embeddedEncoder}
}

// Encode writes an event.
func (e *Encoder) Encode(event *watch.Event) error {
	data, err := runtime.Encode(e.object, event.Object)
	if err != nil {
		return fmt.Errorf("unable to encode the object of a watch event: %w", err)
	}
	return e.stream.Encode(&metav1.WatchEvent{
		Type:   string(event.Type),
		Object: runtime.RawExtension{Raw: json.RawMessage(data)},
	})
}
