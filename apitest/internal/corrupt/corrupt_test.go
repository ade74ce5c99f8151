package corrupt

import (
	"bytes"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

func named(name string) Want { return func(_, n string) bool { return n == name } }

func pods(names ...string) *corev1.PodList {
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"}}
	for _, name := range names {
		list.Items = append(list.Items, corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: "u"},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Env: []corev1.EnvVar{{Name: "A", Value: "<&>"}}}}},
		})
	}
	return list
}

// Only what is wanted is corrupted, and where nothing is, the bytes are the same.
func TestBody(t *testing.T) {
	list := pods("a", "b")
	asJSON, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var asProtobuf bytes.Buffer
	if err := protobuf.NewSerializer(nil, nil).Encode(list, &asProtobuf); err != nil {
		t.Fatal(err)
	}
	for _, body := range [][]byte{asJSON, asProtobuf.Bytes()} {
		if same, ok := Body(body, named("c")); ok || !bytes.Equal(same, body) {
			t.Errorf("%.20q: corrupted %v, without being wanted", body, ok)
		}
		corrupted, ok := Body(body, named("b"))
		if !ok || decode(corrupted) == nil {
			t.Errorf("%.20q: not corrupted", body)
		}
		if !bytes.Contains(corrupted, []byte("main")) {
			t.Errorf("%.20q: what was around is gone", body)
		}
	}
}

func decode(body []byte) error {
	message, ok := bytes.CutPrefix(body, magic)
	if !ok {
		return json.Unmarshal(body, &corev1.PodList{})
	}
	var unknown runtime.Unknown
	if err := unknown.Unmarshal(message); err != nil {
		return err
	}
	return (&corev1.PodList{}).Unmarshal(unknown.Raw)
}

// What is not an object stays as it is, and nothing panics.
func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"kind":"Status","metadata":{},"status":"Failure"}`))
	f.Add([]byte(`{"items":[{"metadata":{"name":"a"}},null,5]}`))
	f.Add([]byte("k8s\x00\n\x0b\n\x02v1\x12\x05PodList\x12\x02\x12\x00"))
	f.Add([]byte(`{"type":"ADDED","object":{"metadata":{"name":"a"}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		if got, ok := Body(body, func(string, string) bool { return false }); ok {
			t.Errorf("%q became %q", body, got)
		}
		Body(body, always)
		Frame(body)
		if !bytes.Equal(body, before) {
			t.Error("the input was changed")
		}
	})
}
