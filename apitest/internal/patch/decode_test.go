package patch

import (
	"bytes"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/kubernetes/scheme"
)

func TestDecodeProtobuf(t *testing.T) {
	registry := kinds.NewRegistry()
	p, kind := New(registry), configMaps(t, registry)
	want := newConfigMap()
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	var body bytes.Buffer
	if err := scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion).Encode(want, &body); err != nil {
		t.Fatal(err)
	}
	got, warnings, err := p.Decode(kind, runtime.ContentTypeProtobuf, body.Bytes(), "Strict")
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	got.GetObjectKind().SetGroupVersionKind(want.GroupVersionKind())
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestWithoutGoType: kinds that have no Go type are not custom for that.
func TestWithoutGoType(t *testing.T) {
	registry := kinds.NewRegistry()
	p, kind := New(registry), lookup(t, registry, "apiregistration.k8s.io/v1/apiservices")
	body := "apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: {name: a}\nspec: {group: b}"
	got, _, err := p.Decode(kind, runtime.ContentTypeYAML, []byte(body), "")
	if err != nil {
		t.Fatal(err)
	}
	obj := mustTrack(t, p, nil, got, kind, "", "x")
	for _, condition := range []string{"Available", "Other"} {
		obj, _, err = p.Patch(obj, Request{
			Kind: kind, Name: "a", Subresource: "status", Manager: "y", Type: types.StrategicMergePatchType,
			Body: []byte(`{"status":{"conditions":[{"type":"` + condition + `"}]}}`),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`x Update {"f:spec":{".":{},"f:group":{}}}`,
		`y Update status{"f:status":{".":{},"f:conditions":{".":{},"k:{\"type\":\"Available\"}":{".":{},"f:type":{}},` +
			`"k:{\"type\":\"Other\"}":{".":{},"f:type":{}}}}}`,
	}
	if o := owners(t, obj); !reflect.DeepEqual(o, want) {
		t.Errorf("owners %q, want %q", o, want)
	}
}
