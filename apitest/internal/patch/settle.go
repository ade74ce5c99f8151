package patch

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
)

// settle does to an object what belongs to decoding in kube-apiserver, so that managed fields are counted after it: it
// takes away the fields that the schema of a custom kind does not know, whose paths it returns, and gives defaults.
func settle(s shape, obj runtime.Object) (unknown []string, err error) {
	if !s.own() {
		return nil, nil
	}
	if err := checkMetadata(obj); err != nil {
		return nil, err
	}
	unknown = s.kind.Prune(obj)
	setDefaults(s, obj)
	return unknown, nil
}

func setDefaults(s shape, obj runtime.Object) {
	if s.own() && !s.plain {
		s.kind.Default(obj)
	}
}

// checkMetadata refuses what would not fit into the Go type of metadata. Other types have seen that already.
func checkMetadata(obj runtime.Object) error {
	u, ok := obj.(runtime.Unstructured)
	if !ok {
		return nil
	}
	metadata, ok := u.UnstructuredContent()["metadata"]
	if !ok {
		return nil
	}
	data, err := json.Marshal(metadata)
	if err != nil {
		return err
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(data, &metav1.ObjectMeta{})
}
