package serve

import (
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// tableOptions returns includeObject, which determines what the rows of a table contain.
func tableOptions(r *http.Request) (metav1.IncludeObjectPolicy, error) {
	include := metav1.IncludeObjectPolicy(r.URL.Query().Get("includeObject"))
	switch include {
	case "", metav1.IncludeMetadata:
		return metav1.IncludeMetadata, nil
	case metav1.IncludeObject, metav1.IncludeNone:
		return include, nil
	}
	err := field.Invalid(field.NewPath("includeObject"), string(include), "must be 'Metadata', 'Object', 'None', or empty")
	return "", apierrors.NewBadRequest(fmt.Sprintf("Unable to convert to Table as requested: %v", err))
}

// table converts objects, which are in the version of the view, to a table.
func (v *view) table(objs []runtime.Object, list metav1.ListMeta, include metav1.IncludeObjectPolicy) (*metav1.Table, error) {
	table, err := v.kind.Table(objs, list, include)
	if err != nil {
		return nil, err
	}
	table.SetGroupVersionKind(tableKind(v.asVersion))
	return table, nil
}

func tableKind(version string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "meta.k8s.io", Version: version, Kind: "Table"}
}
