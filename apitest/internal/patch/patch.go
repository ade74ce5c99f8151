package patch

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest/internal/kinds"
)

// Request is a change of one object that a client asks for.
type Request struct {
	Kind *kinds.Kind
	// Namespace and Name are those of the path. Without a name, those of the live object count.
	Namespace, Name string
	// Subresource is what is changed: "" for the object, or "status" and the like. For "scale" the objects are Scales.
	Subresource string
	Type        types.PatchType
	Body        []byte
	// Manager is the field manager, and Force the word of an apply that wants other managers' fields.
	Manager string
	Force   bool
	// FieldValidation is "", "Ignore", "Warn" or "Strict".
	FieldValidation string
	// Untracked leaves the managed fields as they are, except those of an apply.
	Untracked bool
}

// Patcher changes objects, and keeps account of who owns which field.
type Patcher interface {
	// Patch returns live changed as r says, with managed fields brought up to date; live is nil if there is no object yet,
	// which only an apply can change. Errors are *apierrors.StatusError with the code, reason and causes that kube-apiserver
	// gives. Warnings are for the Warning header. live is not changed.
	Patch(live runtime.Object, r Request) (patched runtime.Object, warnings []string, err error)
	// Track brings the managed fields of updated up to date after a create (live is nil) or an update by manager. It
	// changes neither, and does not fail for what a client wrote: where fields cannot be told, those of live stay.
	Track(live, updated runtime.Object, kind *kinds.Kind, subresource, manager string) (runtime.Object, error)
	// Decode reads the body of a create or an update. contentType may be empty, which means JSON.
	Decode(kind *kinds.Kind, contentType string, body []byte, fieldValidation string) (runtime.Object, []string, error)
	// WithoutDefaults is a patcher that leaves objects as they are written.
	WithoutDefaults() Patcher
}
