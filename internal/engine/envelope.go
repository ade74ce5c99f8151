package engine

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/object"
	"vedette.dev/rest"
)

// Envelope is what is known of an object without decoding all of it. It is good until the function returns that was given it. The type of
// the same name in package shard has the same fields, so that a pointer to one is a pointer to the other.
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

// EnvelopeOf returns the envelope of an object that is decoded.
func EnvelopeOf(obj any) Envelope {
	m, err := object.Meta(obj)
	if err != nil {
		return Envelope{}
	}
	return Envelope{Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUID(), Metadata: objectMetadata{m}}
}

// envelopeOf returns the envelope of an object that is decoded or not, and whose key and revision are known.
func envelopeOf(key string, rev object.Revision, raw *rest.Raw, obj any) Envelope {
	e := Envelope{UID: rev.UID}
	e.Namespace, e.Name = object.Name(key)
	if raw != nil {
		e.Metadata = (*rawMetadata)(raw)
	} else if m, err := object.Meta(obj); err == nil {
		e.Metadata = objectMetadata{m}
	}
	return e
}

// rawMetadata reads the metadata of an object that is not decoded. What cannot be read is nil.
type rawMetadata rest.Raw

func (r *rawMetadata) Labels() map[string]string {
	labels, _ := (*rest.Raw)(r).Labels()
	return labels
}

func (r *rawMetadata) Annotations() map[string]string {
	annotations, _ := (*rest.Raw)(r).Annotations()
	return annotations
}

func (r *rawMetadata) Controller() *metav1.OwnerReference {
	owner, _ := (*rest.Raw)(r).Controller()
	return owner
}

// objectMetadata reads the metadata of an object that is decoded.
type objectMetadata struct{ object metav1.Object }

func (m objectMetadata) Labels() map[string]string { return m.object.GetLabels() }

func (m objectMetadata) Annotations() map[string]string { return m.object.GetAnnotations() }

func (m objectMetadata) Controller() *metav1.OwnerReference {
	return metav1.GetControllerOfNoCopy(m.object)
}
