package patch

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"vedette.dev/apitest/internal/kinds"
)

// CheckType says which patches a kind takes. kube-apiserver does so before it looks for the object.
func CheckType(kind *kinds.Kind, t types.PatchType) error {
	switch {
	case t == types.JSONPatchType, t == types.MergePatchType, t == types.ApplyYAMLPatchType:
		return nil
	case kind.Custom:
		return unsupportedMediaType(string(types.JSONPatchType), string(types.MergePatchType), string(types.ApplyYAMLPatchType))
	case t == types.StrategicMergePatchType:
		return nil
	}
	// This comes from the router of kube-apiserver, before anything of Kubernetes sees the request.
	return apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "", schema.GroupResource{}, "",
		"415: Unsupported Media Type", 0, false)
}

func unsupportedMediaType(accepted ...string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure,
		Code:   http.StatusUnsupportedMediaType,
		Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: fmt.Sprintf("the body of the request was in an unknown format - accepted media types include: %v",
			strings.Join(accepted, ", ")),
	}}
}

// unprocessable is for a patch that is well-formed but does not fit the object.
func unprocessable(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}

// invalidPatch is for a patch whose result is not an object. kube-apiserver includes the whole value in the message.
func invalidPatch(value string, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{
		field.Invalid(field.NewPath("patch"), value, err.Error()),
	})
}

// asStatus gives what is not a status yet the one that kube-apiserver's last resort gives.
func asStatus(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := err.(apierrors.APIStatus); ok {
		return err
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusInternalServerError,
		Message: err.Error(),
	}}
}

// badBody is the answer to a body that cannot be read as the kind.
func badBody(kind schema.GroupVersionKind, got *schema.GroupVersionKind, body []byte, err error) error {
	if got != nil && got.Kind != "" {
		return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", got.Kind, got.Version, kind.Kind, err))
	}
	return Unrecognized(kind, body, err)
}

// Unrecognized is the answer to a body that does not say what it is.
func Unrecognized(kind schema.GroupVersionKind, body []byte, err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", kind.Kind, err, summary(body)))
}

func summary(body []byte) string {
	const limit = 30
	text, more := body, ""
	if len(body) > limit {
		text, more = body[:limit], " ..."
	}
	switch {
	case len(body) == 0:
		return "<empty>"
	case body[0] == '{':
		return string(text) + more
	default:
		return hex.EncodeToString(text) + more
	}
}

// notRegistered names the scheme that kube-apiserver names, because programs compare messages.
func notRegistered(gvk schema.GroupVersionKind) error {
	return runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go:111", gvk)
}
