package dynamic

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// FuzzDecode compares with how apimachinery reads the same bytes. It decodes lists twice, and takes null for an item; for
// the rest, what one can read the other reads alike.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}},{"kind":"B","apiVersion":"b/v1"}]}`,
		`{"kind":"PodList","items":[]}`, `{"kind":"PodList","items":null}`, `{"kind":"List"}`, `{"kind":"Pod","spec":{"n":1,"f":1.5,"big":1e400}}`,
		`{"kind":"Status","apiVersion":"v1","status":"Success"}`, `{"kind":"Status","apiVersion":"v1","status":"Failure"}`, `{"kind":7}`, `null`, `[]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, kind := range []func() runtime.Object{
			func() runtime.Object { return &unstructured.Unstructured{} },
			func() runtime.Object { return &unstructured.UnstructuredList{} },
		} {
			got, want := kind(), kind()
			obj, gvk, err := (codec{jsonForm{}}).Decode(data, nil, got)
			if err != nil {
				continue
			}
			if obj != got {
				if obj.GetObjectKind().GroupVersionKind().Kind != "Status" {
					t.Errorf("read into a %T, got a %T", got, obj)
				}
				continue
			}
			if _, wantGVK, err := unstructured.UnstructuredJSONScheme.Decode(data, nil, want); err != nil || *wantGVK != *gvk {
				t.Errorf("apimachinery says %v, %v; got %v", wantGVK, err, gvk)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		}
		if _, _, err := (codec{jsonForm{}}).Decode(data, nil, nil); err == nil {
			if _, _, err := unstructured.UnstructuredJSONScheme.Decode(data, nil, nil); err != nil {
				t.Errorf("apimachinery says %v", err)
			}
		}
	})
}

func BenchmarkDecodeList(b *testing.B) {
	item := map[string]any{"metadata": map[string]any{"name": "a", "labels": map[string]any{"app": "x"}}, "spec": map[string]any{"replicas": int64(3)}}
	list := &unstructured.UnstructuredList{Object: map[string]any{"kind": "WidgetList", "apiVersion": "example.com/v1"}}
	for range 500 {
		list.Items = append(list.Items, unstructured.Unstructured{Object: item})
	}
	data, err := runtime.Encode(codec{jsonForm{}}, list)
	if err != nil {
		b.Fatal(err)
	}
	for name, decoder := range map[string]runtime.Decoder{"own": codec{jsonForm{}}, "apimachinery": unstructured.UnstructuredJSONScheme} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := decoder.Decode(data, nil, &unstructured.UnstructuredList{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
