package shard

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/engine"
)

// Envelope is what is known of an object without decoding all of it. It is good until the function returns that was given it.
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

// Labels returns the labels, nil if there are none or if they cannot be read.
func (e *Envelope) Labels() map[string]string {
	if e.Metadata == nil {
		return nil
	}
	return e.Metadata.Labels()
}

// Annotations returns the annotations, nil if there are none or if they cannot be read.
func (e *Envelope) Annotations() map[string]string {
	if e.Metadata == nil {
		return nil
	}
	return e.Metadata.Annotations()
}

// Controller returns the owner reference that says controller, or nil.
func (e *Envelope) Controller() *metav1.OwnerReference {
	if e.Metadata == nil {
		return nil
	}
	return e.Metadata.Controller()
}

// envelopeOf returns the envelope of an object that is decoded.
func envelopeOf(obj any) *Envelope {
	e := engine.EnvelopeOf(obj)
	return (*Envelope)(&e)
}

// ofEngine returns a function of envelopes as the engine calls it: nil if it is nil.
func ofEngine(f func(*Envelope) bool) func(*engine.Envelope) bool {
	if f == nil {
		return nil
	}
	return func(e *engine.Envelope) bool { return f((*Envelope)(e)) }
}
