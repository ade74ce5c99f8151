package testing

import (
	"encoding/json"
	"fmt"
	"reflect"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// patch is an object with a patch applied.
func patch(obj runtime.Object, kind types.PatchType, change []byte) (runtime.Object, error) {
	before, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	after, err := patchText(before, kind, change, obj)
	if err != nil {
		return nil, err
	}
	// A new one, since what the patch removes would stay in the old one.
	changed := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(runtime.Object)
	return changed, json.Unmarshal(after, changed)
}

func patchText(before []byte, kind types.PatchType, change []byte, obj runtime.Object) ([]byte, error) {
	switch kind {
	case types.JSONPatchType:
		operations, err := jsonpatch.DecodePatch(change)
		if err != nil {
			return nil, err
		}
		return operations.Apply(before)
	case types.MergePatchType:
		return jsonpatch.MergePatch(before, change)
	case types.StrategicMergePatchType:
		return strategicpatch.StrategicMergePatch(before, change, obj)
	}
	return nil, fmt.Errorf("patches of type %q are not known", kind)
}
