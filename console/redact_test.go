//go:build !vedette_noconsole

package console

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
)

func TestWhatIsHidden(t *testing.T) {
	const hush = "hush-hush"
	page := Handler(Config{Redact: func(object map[string]any) { delete(object, "more") }})
	type custom struct{ Password string }
	for name, c := range map[string]struct {
		object any
		hints  []string
		keeps  string // still there
	}{
		"typed":                       {&corev1.Secret{Data: map[string][]byte{"a": []byte(hush)}, StringData: map[string]string{"b": hush}, Type: "Opaque"}, nil, "Opaque"},
		"unstructured":                {untyped(map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"a": hush}, "stringData": hush}), nil, `"a"`},
		"by the name of the informer": {untyped(map[string]any{"data": map[string]any{"a": hush}}), []string{"v1/secrets"}, `"a"`},
		"metadata alone":              {&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "x", Annotations: map[string]string{lastApplied: hush}}}, nil, `"x"`},
		"annotated": {untyped(map[string]any{"kind": "Thing",
			"metadata": map[string]any{"annotations": map[string]any{hideAnnotation: "spec.password, spec.users.*.pin,status,.spec.list.1, metadata.labels.example.com/x", lastApplied: hush}, "labels": map[string]any{"example.com/x": hush}},
			"spec":     map[string]any{"password": hush, "list": []any{"shown", hush}, "users": []any{map[string]any{"pin": hush, "name": "ann"}, map[string]any{"pin": hush}}},
			"status":   map[string]any{"all": hush}}), nil, "ann"},
		"by the program": {untyped(map[string]any{"more": hush, "less": "there"}), nil, "there"},
	} {
		t.Run(name, func(t *testing.T) {
			original, _ := json.Marshal(c.object)
			s, err := page.redacted(c.object, false, c.hints...)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(s.fields)
			if found := string(text); strings.Contains(found, hush) || strings.Contains(found, base64.StdEncoding.EncodeToString([]byte(hush))) || !strings.Contains(found, c.keeps) {
				t.Errorf("%s", found)
			}
			if again, _ := json.Marshal(c.object); string(again) != string(original) {
				t.Error("the object in the cache was changed")
			}
		})
	}
	for name, object := range map[string]any{"not an object": 3, "no JSON": make(chan int), "a secret in disguise": custom{hush}} {
		if s, err := page.redacted(object, false, "my secrets"); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func untyped(fields map[string]any) *unstructured.Unstructured {
	if fields["metadata"] == nil {
		fields["metadata"] = map[string]any{"name": "x"}
	}
	return &unstructured.Unstructured{Object: fields}
}

func TestManagedFields(t *testing.T) {
	page := Handler(Config{})
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}}}
	if s, err := page.redacted(object, false); err != nil || !s.managed || s.fields["metadata"].(map[string]any)["managedFields"] != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := page.redacted(object, true); err != nil || s.managed || s.fields["metadata"].(map[string]any)["managedFields"] == nil {
		t.Errorf("%+v, %v", s, err)
	}
}

// Whatever a path says, and wherever the value is, it is hidden if the path leads there, and nothing panics.
func TestAnyPath(t *testing.T) {
	const hush = "hush-hush"
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SliceOfN(rapid.StringMatching(`[a-c.0-1*]{1,4}`), 1, 4).Draw(t, "path")
		var value any = hush
		for i := len(path) - 1; i >= 0; i-- {
			value = map[string]any{path[i]: value}
		}
		fields := map[string]any{"metadata": map[string]any{"annotations": map[string]any{}}, "top": value}
		s := shown{fields: fields}
		fields["metadata"].(map[string]any)["annotations"].(map[string]any)[hideAnnotation] = "top." + strings.Join(path, ".")
		s.hideAnnotated(fields["metadata"].(map[string]any))
		text, _ := json.Marshal(fields)
		clean := !strings.Contains(strings.Join(path, "."), "..") && !strings.HasPrefix(path[0], ".") && !strings.HasSuffix(path[len(path)-1], ".")
		if clean && strings.Contains(string(text), hush) {
			t.Fatalf("%s", text)
		}
	})
}

func TestSizes(t *testing.T) {
	small := &corev1.ConfigMap{Data: map[string]string{"a": "b"}}
	if got := sizeOf(small); got != int64(small.Size()) {
		t.Errorf("typed: %d", got)
	}
	u := untyped(map[string]any{"list": []any{"a", int64(1), nil, true, 2.5}, "text": strings.Repeat("x", 1000)})
	text, _ := json.Marshal(u)
	if got := sizeOf(u); got < int64(len(text))*9/10 || got > int64(len(text))*11/10 {
		t.Errorf("unstructured: %d, in JSON %d", got, len(text))
	}
	if got := sizeOf(struct{ A string }{"b"}); got != 9 {
		t.Errorf("other: %d", got)
	}
	if got := sizeOf(make(chan int)); got != 0 {
		t.Errorf("no JSON: %d", got)
	}
}
