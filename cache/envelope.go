package cache

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/rest"
)

// Envelope is what can be told of an object without reading all of it. It is good until the function returns that was
// given it.
type Envelope struct {
	Namespace, Name string
	UID             types.UID

	raw    *rest.Raw     // if it is not decoded
	object metav1.Object // if it is; nil if it has no metadata
}

// Labels returns the labels, nil if there are none or if they cannot be read.
func (e *Envelope) Labels() map[string]string {
	switch {
	case e.raw != nil:
		labels, _ := e.raw.Labels()
		return labels
	case e.object != nil:
		return e.object.GetLabels()
	}
	return nil
}

// Annotations returns the annotations, nil if there are none or if they cannot be read.
func (e *Envelope) Annotations() map[string]string {
	switch {
	case e.raw != nil:
		annotations, _ := e.raw.Annotations()
		return annotations
	case e.object != nil:
		return e.object.GetAnnotations()
	}
	return nil
}

// Controller returns the owner reference that says controller, or nil.
func (e *Envelope) Controller() *metav1.OwnerReference {
	switch {
	case e.raw != nil:
		owner, _ := e.raw.Controller()
		return owner
	case e.object != nil:
		return metav1.GetControllerOfNoCopy(e.object)
	}
	return nil
}

// EnvelopeOf is the envelope of an object that is decoded.
func EnvelopeOf(obj any) Envelope {
	m, err := metaOf(obj)
	if err != nil {
		return Envelope{}
	}
	return Envelope{Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUID(), object: m}
}

// envelopeOf is the envelope of an object that is decoded or not, and whose key and identity are known.
func envelopeOf(key string, id revision, raw *rest.Raw, obj any) Envelope {
	e := Envelope{UID: id.uid, raw: raw}
	namespace, name, namespaced := strings.Cut(key, "/")
	if namespaced {
		e.Namespace, e.Name = namespace, name
	} else {
		e.Name = namespace
	}
	if raw == nil {
		e.object, _ = metaOf(obj)
	}
	return e
}
