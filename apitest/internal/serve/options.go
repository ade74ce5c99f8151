package serve

import (
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metainternalvalidation "k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// decodeQuery decodes the options of a request from its query. Unknown parameters are ignored.
func decodeQuery(r *http.Request, into runtime.Object) error {
	if err := metainternalscheme.ParameterCodec.DecodeParameters(r.URL.Query(), metav1.SchemeGroupVersion, into); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}

func invalidOptions(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

func createOptions(r *http.Request) (*metav1.CreateOptions, error) {
	opts := &metav1.CreateOptions{}
	if err := decodeQuery(r, opts); err != nil {
		return nil, err
	}
	return opts, invalidOptions("CreateOptions", metav1validation.ValidateCreateOptions(opts))
}

func updateOptions(r *http.Request) (*metav1.UpdateOptions, error) {
	opts := &metav1.UpdateOptions{}
	if err := decodeQuery(r, opts); err != nil {
		return nil, err
	}
	return opts, invalidOptions("UpdateOptions", metav1validation.ValidateUpdateOptions(opts))
}

// listOptions returns the options of a list, a watch or the deletion of a collection, with the field labels converted
// for the kind.
func listOptions(r *Request) (*metainternal.ListOptions, error) {
	opts := &metainternal.ListOptions{}
	if err := decodeQuery(r.Request, opts); err != nil {
		return nil, err
	}
	const watchList = true
	metainternal.SetListOptionsDefaults(opts, watchList)
	if err := invalidOptions("ListOptions", metainternalvalidation.ValidateListOptions(opts, watchList)); err != nil {
		return nil, err
	}
	if opts.FieldSelector != nil {
		selector, err := opts.FieldSelector.Transform(r.Kind.FieldLabel)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		opts.FieldSelector = selector
	}
	return opts, nil
}

// deleteOptions are in the body or, if it is empty, in the query.
func deleteOptions(r *http.Request) (*metav1.DeleteOptions, error) {
	opts := &metav1.DeleteOptions{}
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		if err := decodeDeleteOptions(r, body, opts); err != nil {
			return nil, err
		}
	} else if err := decodeQuery(r, opts); err != nil {
		return nil, err
	}
	return opts, invalidOptions("DeleteOptions", metav1validation.ValidateDeleteOptions(opts))
}

func decodeDeleteOptions(r *http.Request, body []byte, opts *metav1.DeleteOptions) error {
	media, err := inputMedia(r)
	if err != nil {
		return err
	}
	var got schema.GroupVersionKind
	if media == mediaCBOR {
		if body, err = cborToJSON(body); err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
		media = mediaJSON
	}
	if media == mediaProtobuf {
		got, err = decodeProtobuf(body, opts)
	} else {
		got, err = decodeText(body, media, opts)
	}
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	// Clients send the DeleteOptions of any group.
	if got.Kind != "" && got.Kind != "DeleteOptions" {
		if got.Version == "" {
			got.Group, got.Version = metav1.GroupName, "v1"
		}
		return apierrors.NewBadRequest(runtime.NewNotRegisteredErrForKind("pkg/runtime/scheme.go:111", got).Error())
	}
	return nil
}

// parseVersion parses a resource version; "" is 0.
func parseVersion(version string) (uint64, error) {
	if version == "" {
		return 0, nil
	}
	v, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0, field.Invalid(field.NewPath("resourceVersion"), version, err.Error())
	}
	return v, nil
}
