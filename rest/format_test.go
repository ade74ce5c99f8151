package rest

import (
	"io"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/internal/wire/cborread"
)

// TestFormats holds each format to the same rules, on the same metadata.
func TestFormats(t *testing.T) {
	m := metav1.ObjectMeta{
		Namespace: "ns", Name: "a", UID: "u", ResourceVersion: "7", Generation: 3,
		Labels: map[string]string{"app": "x"}, Annotations: map[string]string{"note": "y"},
		OwnerReferences: []metav1.OwnerReference{{Name: "o", UID: "v", Controller: new(bool)}},
	}
	obj := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: m}
	binary, err := obj.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	samples := map[Encoding][]byte{
		Protobuf: binary,
		JSON: []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"a","uid":"u","resourceVersion":"7","generation":3,` +
			`"labels":{"app":"x"},"annotations":{"note":"y"},"ownerReferences":[{"name":"o","uid":"v","controller":false}]}}`),
	}
	var err2 error
	if samples[CBOR], err2 = cborread.FromJSON(samples[JSON]); err2 != nil {
		t.Fatal(err2)
	}
	names, types := map[string]bool{}, map[string]bool{}
	for i, f := range formats {
		e := Encoding(i)
		data, ok := samples[e]
		if !ok {
			t.Errorf("%s has no sample here", e)
			continue
		}
		if names[f.name()] || types[f.mediaType()] || e.String() != f.name() {
			t.Errorf("%s: the name or the media type %q is that of another", e, f.mediaType())
		}
		names[f.name()], types[f.mediaType()] = true, true
		raw := &Raw{Encoding: e, Bytes: data}
		got, err := raw.Meta()
		if want := (Meta{Namespace: "ns", Name: "a", UID: "u", ResourceVersion: "7", Generation: 3}); got != want || err != nil {
			t.Errorf("%s: %+v, %v", e, got, err)
		}
		if text, err := raw.IdentityText(); text != "ns/au7" || err != nil {
			t.Errorf("%s: the identity is %q, %v", e, text, err)
		}
		labels, err := raw.Labels()
		annotations, err2 := raw.Annotations()
		if labels["app"] != "x" || annotations["note"] != "y" || err != nil || err2 != nil {
			t.Errorf("%s: %v, %v, %v, %v", e, labels, annotations, err, err2)
		}
		if owners, err := raw.Owners(); len(owners) != 1 || owners[0].UID != "v" || err != nil {
			t.Errorf("%s: %v, %v", e, owners, err)
		}
		into := &metav1.PartialObjectMetadata{}
		into.Finalizers = []string{"from before"}
		if err := raw.Into(into); err != nil || into.Name != "a" || into.Finalizers != nil {
			t.Errorf("%s: %+v, %v", e, into, err)
		}
		if f.isObject(nil) || !f.isObject(data) {
			t.Errorf("%s: isObject", e)
		}
		if _, err := f.frames(strings.NewReader(""), 100).next(); err != io.EOF {
			t.Errorf("%s: an empty watch ends with %v", e, err)
		}
		if _, err := f.items(strings.NewReader(""), 100, 100).Next(); err == nil || err == io.EOF {
			t.Errorf("%s: a list without a byte ends with %v", e, err)
		}
	}
	if Encoding(99).String() != "JSON" {
		t.Error("an encoding that does not exist")
	}
}
