package shard

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/engine"
)

// Envelope is the part of an object that is known without decoding all of it. It is valid until the function that was
// given it returns.
type Envelope struct {
	Namespace, Name string
	UID             types.UID
	// Metadata reads the rest of the metadata. It is nil if the object has none.
	Metadata interface {
		Labels() map[string]string
		Annotations() map[string]string
		Controller() *metav1.OwnerReference
	}
}

// Labels returns the labels, nil if there are none or if they cannot be decoded.
func (e *Envelope) Labels() map[string]string {
	if e.Metadata == nil {
		return nil
	}
	return e.Metadata.Labels()
}

// Annotations returns the annotations, nil if there are none or if they cannot be decoded.
func (e *Envelope) Annotations() map[string]string {
	if e.Metadata == nil {
		return nil
	}
	return e.Metadata.Annotations()
}

// Controller returns the owner reference of the controller, or nil.
func (e *Envelope) Controller() *metav1.OwnerReference {
	if e.Metadata == nil {
		return nil
	}
	return e.Metadata.Controller()
}

// envelopeOf returns the envelope of a decoded object.
func envelopeOf(obj any) *Envelope {
	e := engine.EnvelopeOf(obj)
	return (*Envelope)(&e)
}

// ofEngine adapts a function of envelopes to the engine. It returns nil if f is nil.
func ofEngine(f func(*Envelope) bool) func(*engine.Envelope) bool {
	if f == nil {
		return nil
	}
	return func(e *engine.Envelope) bool { return f((*Envelope)(e)) }
}
