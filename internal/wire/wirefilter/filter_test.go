package wirefilter

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"vedette.dev/internal/wire/jsonscan"
	"vedette.dev/internal/wire/protoscan"
)

func must(tb testing.TB) func(f *Filter, err error) *Filter {
	return func(f *Filter, err error) *Filter {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
		return f
	}
}

func TestPathsThatAreWrong(t *testing.T) {
	pod, slice, loose := &corev1.Pod{}, &resourcev1.ResourceSlice{}, &unstructured.Unstructured{}
	for _, c := range []struct {
		example any
		paths   string // with spaces between them
		want    string
	}{
		{pod, "spec.nodename", "pods have no field spec.nodename; did you mean spec.nodeName?"},
		{pod, "spec.containres.image", "pods have no field spec.containres; did you mean spec.containers.image?"},
		{pod, "spec.containers.imaeg", "pods have no field spec.containers.imaeg; did you mean spec.containers.image?"},
		{pod, "nodeName", "pods have no field nodeName; did you mean spec.nodeName?"},
		{pod, "labels[app]", "pods have no field labels; did you mean metadata.labels[app]?"},
		{pod, "zebra", "pods have no field zebra; they have apiVersion, kind, metadata, spec, status"},
		{pod, "status.zebra", "pods have no field status.zebra; in status there are allocatedResources, "},
		{pod, "spec.volumes.volumeSource", "pods have no field spec.volumes.volumeSource"}, // in JSON it is inline
		{&corev1.ResourceQuota{}, "spec.hardd", "resourcequotas have no field spec.hardd; did you mean spec.hard?"},
		{pod, "spec.nodeName.first", "spec.nodeName of pods has no fields, so there is no spec.nodeName.first"},
		{pod, "metadata.creationTimestamp.seconds", "metadata.creationTimestamp of pods has no fields"},
		{pod, "spec.containers.livenessProbe.httpGet.port.IntVal", "spec.containers.livenessProbe.httpGet.port of pods has no fields"},
		{pod, "spec.containers.resources.limits[cpu].i", "spec.containers.resources.limits[cpu] of pods has no fields"},
		{pod, "metadata.finalizers.name", "metadata.finalizers of pods has no fields"},
		{pod, "metadata.labels.app", "metadata.labels of pods is a map; to name one of its keys write metadata.labels[app]"},
		{pod, "metadata.labels.example.com/app", "metadata.labels of pods is a map; to name one of its keys write metadata.labels[example.com/app]"},
		{pod, "metadata[name]", "metadata of pods is not a map, so there is no key [name]"},
		{pod, "spec.nodeName[a]", "spec.nodeName of pods is not a map"},
		{pod, "spec.containers[0].image", "spec.containers of pods is a list and not a map, so there is no [0]; a path goes through all its elements"},
		{pod, "metadata.finalizers[0]", "metadata.finalizers of pods is a list and not a map, so there is no [0]"},
		{pod, "[spec]", "pods are not a map, so there is no key [spec]"},
		{pod, "spec.nodeName spec.nodeName", "spec.nodeName is in the paths twice"},
		{loose, "spec.size spec[size]", "spec.size and spec[size] in the paths are the same field"},
		{pod, "spec spec.nodeName", "spec is in the paths, and so is spec.nodeName, which is a part of it"},
		{pod, "spec.nodeName spec", "spec is in the paths, and so is spec.nodeName, which is a part of it"},
		{pod, "metadata.labels[a] metadata.labels", "metadata.labels is in the paths, and so is metadata.labels[a]"},
		{slice, "spec.devices.attributes.bool spec.devices.attributes", "spec.devices.attributes is in the paths, and so is spec.devices.attributes.bool"},
		{slice, "spec.devices.attributes.boo", "resourceslices have no field spec.devices.attributes.boo; did you mean spec.devices.attributes.bool?"},
		{pod, ".spec", "an empty name"},
		{pod, "spec.", "an empty name"},
		{pod, "spec..nodeName", "an empty name"},
		{loose, "spec..a", "an empty name"},
		{pod, "metadata.labels[", "has a [ without a ]"},
		{pod, "metadata.labels[]", "has an empty key []"},
		{pod, "metadata.labels[a]b", "a dot is missing"},
		{pod, "metadata.labels[\xff]", "is not valid text"},
	} {
		for name, build := range map[string]func(any, ...string) (*Filter, error){"Keep": Keep, "Drop": Drop} {
			_, err := build(c.example, strings.Fields(c.paths)...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s(%s): %v\nwant %s", name, c.paths, err, c.want)
			}
		}
	}
	if _, err := Keep(pod, ""); err == nil || !strings.Contains(err.Error(), "a path is empty") {
		t.Errorf("an empty path: %v", err)
	}
}

func TestExamplesThatAreWrong(t *testing.T) {
	for _, example := range []any{nil, 5, corev1.Pod{}, new(int), &metav1.Time{}, &map[string]any{}} {
		if f, err := Keep(example, "spec"); err == nil {
			t.Errorf("%T: %v", example, f)
		}
	}
}

func TestIdentityCannotBeDropped(t *testing.T) {
	for _, path := range identity {
		for _, example := range []any{&corev1.Pod{}, &unstructured.Unstructured{}} {
			if _, err := Drop(example, path); err == nil || err.Error() != path+" cannot be dropped: an informer needs it" {
				t.Errorf("%T, %s: %v", example, path, err)
			}
			must(t)(Keep(example, path))
		}
	}
}

// Both kinds of filter can leave the same.
func TestWhatIsLeft(t *testing.T) {
	const pod = `{"kind":"Pod","metadata":{"name":"a","uid":"u","labels":{"a":"1","b":"2"},"generation":7,"finalizers":["f"]},` +
		`"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"},{"name":"d"}],"volumes":[{"name":"v","configMap":{"name":"m","optional":true}}]}}`
	for _, c := range []struct{ keep, drop, want string }{
		{"-", "metadata spec", `{"kind":"Pod","metadata":{"name":"a","uid":"u","generation":7}}`},
		{"spec.nodeName", "metadata spec.containers spec.volumes", `{"kind":"Pod","metadata":{"name":"a","uid":"u","generation":7},"spec":{"nodeName":"n"}}`},
		{
			"spec.containers.image", "metadata spec.nodeName spec.volumes spec.containers.name",
			`{"kind":"Pod","metadata":{"name":"a","uid":"u","generation":7},"spec":{"containers":[{"image":"i"},{}]}}`,
		},
		{
			"spec.volumes.configMap.name", "metadata spec.nodeName spec.containers spec.volumes.name spec.volumes.configMap.optional",
			`{"kind":"Pod","metadata":{"name":"a","uid":"u","generation":7},"spec":{"volumes":[{"configMap":{"name":"m"}}]}}`,
		},
		{
			"metadata.labels[b]", "metadata.labels[a] metadata.finalizers spec",
			`{"kind":"Pod","metadata":{"name":"a","uid":"u","labels":{"b":"2"},"generation":7}}`,
		},
		{"metadata.labels[c] status.phase", "metadata.labels[a] metadata.labels[b] metadata.finalizers spec", `{"kind":"Pod","metadata":{"name":"a","uid":"u","labels":{},"generation":7}}`},
	} {
		for _, example := range []any{&corev1.Pod{}, &unstructured.Unstructured{}} {
			kept, err := must(t)(Keep(example, strings.Fields(strings.Trim(c.keep, "-"))...)).JSON(nil, []byte(pod))
			if err != nil || string(kept) != c.want {
				t.Errorf("keep %s of a %T: %s, %v\nwant %s", c.keep, example, kept, err, c.want)
			}
			left, err := must(t)(Drop(example, strings.Fields(c.drop)...)).JSON(nil, []byte(pod))
			if err != nil || string(left) != c.want {
				t.Errorf("drop %s of a %T: %s, %v\nwant %s", c.drop, example, left, err, c.want)
			}
		}
	}
}

// What is unusual on the wire is not an error, and is understood as decoders understand it.
func TestUnusualMessages(t *testing.T) {
	for _, c := range []struct{ what, keep, body, want string }{
		{"a number alone", "spec.securityContext.supplementalGroups", "\x12\x06\x72\x04\x20\x05\x20\x06", "\x12\x06\x72\x04\x20\x05\x20\x06"},
		{"packed numbers", "spec.securityContext.supplementalGroups", "\x12\x06\x72\x04\x22\x02\x05\x06", "\x12\x06\x72\x04\x22\x02\x05\x06"},
		{"packed numbers that go", "spec.securityContext.runAsUser", "\x12\x06\x72\x04\x22\x02\x05\x06", "\x12\x02\x72\x00"},
		{"wire types in an entry", "metadata.labels[a]", "\x0a\x08\x5a\x06\x08\x01a\x15\x01b", "\x0a\x08\x5a\x06\x08\x01a\x15\x01b"},
		{"an entry with two keys", "metadata.labels[a]", "\x0a\x08\x5a\x06\x0a\x01a\x0a\x01b", "\x0a\x00"},
		{"and the other", "metadata.labels[b]", "\x0a\x08\x5a\x06\x0a\x01a\x0a\x01b", "\x0a\x08\x5a\x06\x0a\x01a\x0a\x01b"},
		{"an entry without a key", "metadata.labels[b]", "\x0a\x05\x5a\x03\x12\x01v", "\x0a\x00"},
		{"a long length", "spec.nodeName", "\x12\x83\x80\x00\x52\x01n", "\x12\x03\x52\x01n"},
		{"a long tag", "spec.nodeName", "\x92\x00\x03\x52\x01n", "\x92\x00\x03\x52\x01n"},
		{"two pieces", "spec.nodeName", "\x12\x02\x20\x01\x12\x03\x52\x01n", "\x12\x00\x12\x03\x52\x01n"},
	} {
		f := must(t)(Keep(&corev1.Pod{}, c.keep))
		if got, err := f.Protobuf(nil, []byte(c.body)); err != nil || string(got) != c.want {
			t.Errorf("%s: %x, %v, want %x", c.what, got, err, c.want)
		}
		checkAnyProtobuf(t, f, &corev1.Pod{}, []byte(c.body))
	}
}

// A field that the Go type does not have goes with Keep, and stays with Drop.
func TestUnknownFields(t *testing.T) {
	text := `{"new":1,"spec":{"new":2,"nodeName":"n"}}`
	// Number 127 is beyond all that are known, and 16 was once in the metadata.
	body := []byte{0xf8, 0x07, 1, 0x12, 6, 0xf8, 0x07, 2, 0x52, 1, 'n', 0x0a, 4, 0x82, 0x01, 1, 'c'}
	keep, drop := must(t)(Keep(&corev1.Pod{}, "spec.nodeName")), must(t)(Drop(&corev1.Pod{}, "spec.volumes", "metadata.labels"))
	if got, err := keep.JSON(nil, []byte(text)); err != nil || string(got) != `{"spec":{"nodeName":"n"}}` {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := drop.JSON(nil, []byte(text)); err != nil || string(got) != text {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := keep.Protobuf(nil, body); err != nil || string(got) != "\x12\x03\x52\x01n\x0a\x00" {
		t.Errorf("%x, %v", got, err)
	}
	if got, err := drop.Protobuf(nil, body); err != nil || string(got) != string(body) {
		t.Errorf("%x, %v", got, err)
	}
}

func TestBytesThatAreWrong(t *testing.T) {
	f := must(t)(Keep(&corev1.Pod{}, "metadata.labels[a]", "metadata.annotations", "spec.containers.image", "spec.priority"))
	for what, body := range map[string]string{
		"cut short":                         "\x0a\x05abc",
		"cut short in field 1":              "\x0a\x02\x0a\x05",
		"a length beyond all":               "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"a length of eleven bytes":          "\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00",
		"a tag of eleven bytes":             "\x8a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00\x00",
		"a number of eleven bytes":          "\x12\x0c\xc8\x01\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00",
		"no number":                         "\x02\x00",
		"wire type 0 for a message":         "\x08\x01",
		"wire type 5 for one that goes":     "\x1d\x01\x02\x03\x04",
		"wire type 7":                       "\xff\x07",
		"the end of a group":                "\xfc\x07",
		"a group that ends first":           "\xfc\x07\xfb\x07",
		"a group that does not end":         "\xfb\x07",
		"a group where a message should be": "\x0b\x0c",
		"an entry that is cut short":        "\x0a\x05\x5a\x03\x0a\x05a",
		"the same where all stay":           "\x0a\x05\x62\x03\x0a\x05a",
	} {
		dst := []byte("before")
		got, err := f.Protobuf(dst, []byte(body))
		if !errors.Is(err, protoscan.ErrMalformed) || string(got) != "before" {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
	for _, text := range []string{
		``, ` `, `[]`, `5`, `"a"`, `{`, `{"a`, `{"a"`, `{"a" 1}`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a":1 ;}`, `{}x`, `{} {}`, `{5:1}`,
		`{"spec":{"containers":[{}`, `{"spec":{"containers":[{};{}]}}`, `{"spec":{"containers":[,]}}`, `{"spec":{"containers":[`, `{"spec":`, `{"\x":1}`, `{"a":"b`,
		`{"spec":` + strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1) + `}`,
	} {
		got, err := f.JSON([]byte("before"), []byte(text))
		if !errors.Is(err, jsonscan.ErrMalformed) || string(got) != "before" {
			t.Errorf("%.40s: %q, %v", text, got, err)
		}
	}
}

// Groups in groups take no more than their bytes, however deep they are.
func TestDeepGroups(t *testing.T) {
	const deep = 1 << 20
	body := []byte(strings.Repeat("\xfb\x07", deep) + strings.Repeat("\xfc\x07", deep))
	if got, err := must(t)(Keep(&corev1.Pod{})).Protobuf(nil, body); err != nil || len(got) != 0 {
		t.Errorf("%d bytes left, %v", len(got), err)
	}
}

func TestObjectOfAnotherType(t *testing.T) {
	f := must(t)(Keep(&corev1.Pod{}, "spec.nodeName"))
	for _, obj := range []any{nil, 5, &corev1.Node{}, corev1.Pod{}, (*corev1.Pod)(nil), (*unstructured.Unstructured)(nil)} {
		if err := f.Object(obj); err == nil || !strings.Contains(err.Error(), "a filter for pods cannot filter a") {
			t.Errorf("%T: %v", obj, err)
		}
	}
	loose := must(t)(Keep(&unstructured.Unstructured{}, "spec.nodeName"))
	if err := loose.Object(&corev1.Pod{}); err == nil {
		t.Error("a filter without a type filters a pod")
	}
	if _, err := loose.Protobuf(nil, nil); err == nil || err.Error() != "unstructured objects have no protobuf form; ask for JSON" {
		t.Error(err)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	body := examplePod(t)
	f := must(t)(Keep(&corev1.Pod{}, fiveFields...))
	dst := make([]byte, 0, len(podJSON))
	if n := testing.AllocsPerRun(100, func() {
		_, err1 := f.Protobuf(dst, body)
		_, err2 := f.JSON(dst, podJSON)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
