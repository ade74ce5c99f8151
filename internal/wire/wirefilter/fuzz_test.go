package wirefilter

import (
	"encoding/json"
	"errors"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// fuzzed are kinds that have between them all that there is: inline structs, maps to text, bytes and messages, packed numbers.
var fuzzed = []message{
	&corev1.Pod{}, &corev1.ConfigMap{}, &resourcev1.ResourceSlice{}, &corev1.PersistentVolume{}, &corev1.PodList{},
	&appsv1.Deployment{}, &corev1.Secret{}, &corev1.PodSecurityContext{}, &metav1.Status{},
}

// drawFilter makes a filter of a number.
func drawFilter(t *testing.T, example message, keep bool, seed int64) *Filter {
	p := &paths{r: rand.New(rand.NewSource(seed)), keys: []string{"a", "b", "key"}}
	all := p.some(reflect.TypeOf(example).Elem(), 1+p.r.Intn(5))
	build := Keep
	if !keep {
		build = Drop
		all = slices.DeleteFunc(all, isIdentity)
	}
	f, err := build(example, texts(all)...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// FuzzProtobuf: whatever decodes also decodes when it was filtered, to what the filter leaves of the object.
func FuzzProtobuf(f *testing.F) {
	for i, example := range fuzzed {
		obj := another(example).(message)
		filler(int64(i)).NumElements(1, 2).NilChance(0.1).Fill(obj)
		body, err := obj.Marshal()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), true, int64(i), body)
		f.Add(uint8(i), false, int64(i), body)
	}
	for _, odd := range oddMessages {
		for seed := range int64(2) {
			f.Add(uint8(0), seed%2 == 0, seed, odd)
			f.Add(uint8(1), seed%2 == 0, seed, odd)
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, keep bool, seed int64, data []byte) {
		example := fuzzed[int(kind)%len(fuzzed)]
		checkAnyProtobuf(t, drawFilter(t, example, keep, seed), example, data)
	})
}

func checkAnyProtobuf(t *testing.T, f *Filter, example message, data []byte) {
	t.Helper()
	given := slices.Clone(data)
	filtered, err := f.Protobuf(nil, data)
	if string(given) != string(data) {
		t.Fatal("the source has changed")
	}
	if len(filtered) > len(data) {
		t.Fatalf("%d bytes became %d", len(data), len(filtered))
	}
	want, got := another(example).(message), another(example).(message)
	if want.Unmarshal(data) != nil {
		return
	}
	if errors.Is(err, errEntry) {
		return // decoders read on behind the end of an entry
	}
	if err != nil {
		t.Fatalf("%x: %v", data, err)
	}
	if err := got.Unmarshal(filtered); err != nil {
		t.Fatalf("%x became %x: %v", data, filtered, err)
	}
	if err := f.Object(want); err != nil {
		t.Fatal(err)
	}
	compare(t, "protobuf", want, got)
	inPlace, err := f.Protobuf(given[:0], given)
	if err != nil || string(inPlace) != string(filtered) {
		t.Fatalf("in place %x became %x (%v), and otherwise %x", data, inPlace, err, filtered)
	}
}

// FuzzJSON is the same for JSON, and for objects without a type.
func FuzzJSON(f *testing.F) {
	for i, example := range fuzzed {
		obj := another(example).(message)
		filler(int64(i)).NumElements(1, 2).NilChance(0.1).Fill(obj)
		text, err := json.Marshal(obj)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), true, int64(i), text)
		f.Add(uint8(i), false, int64(i), text)
	}
	for _, odd := range oddTexts {
		for seed := range int64(2) {
			f.Add(uint8(0), seed%2 == 0, seed, []byte(odd))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, keep bool, seed int64, data []byte) {
		example := fuzzed[int(kind)%len(fuzzed)]
		checkAnyJSON(t, drawFilter(t, example, keep, seed), example, data)
	})
}

func checkAnyJSON(t *testing.T, f *Filter, example any, data []byte) {
	t.Helper()
	given := slices.Clone(data)
	filtered, err := f.JSON(nil, data)
	if string(given) != string(data) {
		t.Fatal("the source has changed")
	}
	if len(filtered) > len(data) {
		t.Fatalf("%d bytes became %d", len(data), len(filtered))
	}
	want, got := another(example), another(example)
	if utiljson.Unmarshal(data, want) == nil {
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if err := utiljson.Unmarshal(filtered, got); err != nil {
			t.Fatalf("%s became %s: %v", data, filtered, err)
		}
		if err := f.Object(want); err != nil {
			t.Fatal(err)
		}
		compare(t, string(data), want, got)
	}
	var content, left map[string]any
	if utiljson.Unmarshal(data, &content) != nil {
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if err := utiljson.Unmarshal(filtered, &left); err != nil {
		t.Fatalf("%s became %s: %v", data, filtered, err)
	}
	if err := f.Object(&unstructured.Unstructured{Object: content}); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(content, left) {
		t.Fatalf("%s became %s and not %v", data, filtered, content)
	}
	inPlace, err := f.JSON(given[:0], given)
	if err != nil || string(inPlace) != string(filtered) {
		t.Fatalf("in place %s became %s (%v), and otherwise %s", data, inPlace, err, filtered)
	}
}
