package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// anyPod draws a pod with all kinds of metadata.
func anyPod() *rapid.Generator[*corev1.Pod] {
	text := rapid.OneOf(rapid.StringN(0, 12, -1), rapid.SampledFrom([]string{"", `"`, `\`, "é\u2028", "{}", "name"}))
	strings := rapid.MapOfN(text, text, 0, 4)
	return rapid.Custom(func(t *rapid.T) *corev1.Pod {
		p := &corev1.Pod{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{
				Name: text.Draw(t, "name"), GenerateName: text.Draw(t, "generateName"), Namespace: text.Draw(t, "namespace"),
				UID: types.UID(text.Draw(t, "uid")), ResourceVersion: text.Draw(t, "version"), Generation: rapid.Int64().Draw(t, "generation"),
				Labels: strings.Draw(t, "labels"), Annotations: strings.Draw(t, "annotations"),
				Finalizers: rapid.SliceOfN(text, 0, 2).Draw(t, "finalizers"),
			},
			Spec: corev1.PodSpec{NodeName: text.Draw(t, "node"), NodeSelector: strings.Draw(t, "selector")},
		}
		for range rapid.IntRange(0, 3).Draw(t, "owners") {
			controller := rapid.Bool().Draw(t, "controller")
			p.OwnerReferences = append(p.OwnerReferences, metav1.OwnerReference{
				Kind: text.Draw(t, "kind"), Name: text.Draw(t, "owner"), UID: types.UID(text.Draw(t, "ownerUID")), Controller: &controller,
			})
		}
		return p
	})
}

// The envelope says the same as the decoded object, in both encodings.
func TestMetaIsWhatDecodingSays(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := anyPod().Draw(rt, "pod")
		body, err := want.Marshal()
		if err != nil {
			rt.Fatal(err)
		}
		text, err := json.Marshal(want)
		if err != nil {
			rt.Fatal(err)
		}
		for _, raw := range []*Raw{{Encoding: Protobuf, Bytes: body}, {Encoding: JSON, Bytes: text}} {
			var p corev1.Pod
			if err := raw.Into(&p); err != nil {
				rt.Fatal(err)
			}
			compareEnvelope(rt, raw, &p.ObjectMeta)
			compareEnvelope(rt, raw.Clone(), &p.ObjectMeta)
		}
	})
}

func compareEnvelope(t *rapid.T, raw *Raw, want *metav1.ObjectMeta) {
	meta, err := raw.Meta()
	if err != nil {
		t.Fatalf("%s: %v", raw.Encoding, err)
	}
	if got := (Meta{want.Namespace, want.Name, want.UID, want.ResourceVersion, want.Generation}); meta != got {
		t.Fatalf("%s: %+v, want %+v", raw.Encoding, meta, got)
	}
	labels, err1 := raw.Labels()
	annotations, err2 := raw.Annotations()
	owners, err3 := raw.Owners()
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatalf("%s: %v, %v, %v", raw.Encoding, err1, err2, err3)
	}
	if !sameMap(labels, want.Labels) || !sameMap(annotations, want.Annotations) {
		t.Fatalf("%s: labels %v, annotations %v", raw.Encoding, labels, annotations)
	}
	if len(owners)+len(want.OwnerReferences) > 0 && !reflect.DeepEqual(owners, want.OwnerReferences) {
		t.Fatalf("%s: owners %+v", raw.Encoding, owners)
	}
	controller, err := raw.Controller()
	if wanted := metav1.GetControllerOf(&metav1.ObjectMeta{OwnerReferences: want.OwnerReferences}); err != nil || !reflect.DeepEqual(controller, wanted) {
		t.Fatalf("%s: controller %+v, want %+v", raw.Encoding, controller, wanted)
	}
}

func sameMap(a, b map[string]string) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

// Without metadata there is no name, and that is no error; nonsense is one.
func TestMetaOfOddObjects(t *testing.T) {
	for _, odd := range []string{`{}`, `{"metadata":null}`, `{"metadata":{}}`, `{"metadata":{"name":null,"generation":null,"labels":null}}`} {
		raw := Raw{Encoding: JSON, Bytes: []byte(odd)}
		if meta, err := raw.Meta(); err != nil || meta != (Meta{}) || meta.Key() != "" {
			t.Errorf("%s: %+v, %v", odd, meta, err)
		}
		if labels, err := raw.Labels(); err != nil || labels != nil {
			t.Errorf("%s: %v, %v", odd, labels, err)
		}
	}
	for _, bad := range []string{``, `7`, `{"metadata":7}`, `{"metadata":{"name":7}}`, `{"metadata":{"name":"a"`, `{"kind":7,"metadata":{}}`, `{"metadata":{"generation":1.5}}`} {
		raw := Raw{Encoding: JSON, Bytes: []byte(bad)}
		if meta, err := raw.Meta(); err == nil {
			t.Errorf("%s: %+v", bad, meta)
		}
	}
	raw := Raw{Encoding: Protobuf, Bytes: []byte{0x0a, 0x05, 1}}
	if _, err := raw.Meta(); err == nil {
		t.Error("a cut message has metadata")
	}
	if err := raw.Into(&corev1.Pod{}); err == nil {
		t.Error("a cut message is a pod")
	}
	raw = Raw{Encoding: Protobuf}
	if meta, err := raw.Meta(); err != nil || meta != (Meta{}) {
		t.Errorf("an empty message: %+v, %v", meta, err)
	}
}

// FuzzFrames: no bytes from a server make us panic, and what can be decoded has the envelope that decoding says.
func FuzzFrames(f *testing.F) {
	f.Add(true, []byte(`{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","labels":{"a":"b"}}}}`))
	f.Add(false, protobufFrame(f, "ADDED", "Pod", pod("a")))
	f.Fuzz(func(t *testing.T, inJSON bool, data []byte) {
		encoding := Protobuf
		if inJSON {
			encoding = JSON
		}
		frames := framesOf("GET /x", encoding, io.NopCloser(bytes.NewReader(data)), 1<<16)
		for range len(data) + 1 {
			frame, err := frames.Next()
			if err != nil {
				return
			}
			_ = frame.Err()
			checkFuzzed(t, &frame.Object)
		}
	})
}

func checkFuzzed(t *testing.T, raw *Raw) {
	meta, metaErr := raw.Meta()
	_, _ = raw.Labels()
	_, _ = raw.Controller()
	var p metav1.PartialObjectMetadata
	if err := raw.Into(&p); err != nil || metaErr != nil {
		return
	}
	// Members that are there twice are merged by decoders, and read once by us; a server never sends them.
	if bytes.Count(raw.Bytes, []byte("metadata")) > 1 || raw.Encoding == Protobuf || fmt.Sprint(meta.Name) == p.Name {
		return
	}
	if bytes.Count(raw.Bytes, []byte("name")) == 1 && bytes.Count(raw.Bytes, []byte(`\`)) == 0 {
		t.Fatalf("name %q, decoded %q, in %q", meta.Name, p.Name, raw.Bytes)
	}
}
