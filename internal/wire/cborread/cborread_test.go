package cborread

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fxamacker/cbor/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"vedette.dev/internal/mutate"
)

func sample(r *rand.Rand) *unstructured.Unstructured {
	fields := map[string]any{}
	for range r.IntN(40) {
		fields[fmt.Sprintf("f:field%d", r.IntN(60))] = map[string]any{"f:x": map[string]any{}}
	}
	many := map[string]any{}
	for i := range r.IntN(40) {
		many[fmt.Sprint("key-", i)] = r.Float64() * 100
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{
			"name": fmt.Sprint("w-", r.IntN(9)), "labels": map[string]any{"app": "x"}, "generation": r.Int64(),
			"managedFields": []any{map[string]any{"manager": "m", "fieldsV1": fields}},
		},
		"spec": map[string]any{
			"list": []any{"a", int64(-5), 0.75, 1e300, true, nil, map[string]any{}, []any{}, []any{int64(1)}, fmt.Sprint("é", r.IntN(3))}, "many": many,
			"small": []any{0.5, 1.5, -2.25, float64(math.Float32frombits(0x3f800001)), math.SmallestNonzeroFloat64, 5.960464477539063e-08, -0.00006097555160522461},
		},
	}}
}

func shuffled(t testing.TB, u *unstructured.Unstructured) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := serializer.NewSerializer(nil, nil).EncodeNondeterministic(u, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestDecodeNext decodes state after state of changing objects, and compares with what was encoded.
func TestDecodeNext(t *testing.T) {
	for _, shares := range []*Shares{nil, NewShares(Sharing{}), NewShares(Sharing{Parts: true}), NewShares(Sharing{Mutable: true})} {
		r := rand.New(rand.NewPCG(1, 2))
		var last map[string]any
		u := sample(r)
		for round := range 400 {
			switch round % 4 {
			case 0:
				u = sample(r)
			case 1:
				mutate.Object(r, u)
			}
			data := shuffled(t, u)
			before := (&unstructured.Unstructured{Object: last}).DeepCopy()
			got, err := DecodeNext(data, shares, last)
			if err != nil || !reflect.DeepEqual(got, u.Object) {
				t.Fatalf("%v, %v; want %v", got, err, u.Object)
			}
			if last != nil && !reflect.DeepEqual(last, before.Object) {
				t.Fatal("the earlier state has changed")
			}
			if reflect.ValueOf(got).UnsafePointer() == reflect.ValueOf(last).UnsafePointer() {
				t.Fatal("two states are one map")
			}
			last = got
			if round%100 == 99 {
				shares.Forget()
			}
		}
	}
}

// TestShared: what objects share, and what not.
func TestShared(t *testing.T) {
	u := sample(rand.New(rand.NewPCG(1, 2)))
	same := func(shares *Shares, path ...string) bool {
		var of [2]any
		for i := range of {
			got, err := DecodeNext(shuffled(t, u), shares, nil)
			if err != nil {
				t.Fatal(err)
			}
			of[i] = got
			for _, name := range path {
				if list, ok := of[i].([]any); ok {
					of[i] = list[0]
				}
				of[i] = of[i].(map[string]any)[name]
			}
		}
		return reflect.ValueOf(of[0]).UnsafePointer() == reflect.ValueOf(of[1]).UnsafePointer()
	}
	plain, parts, mutable := NewShares(Sharing{}), NewShares(Sharing{Parts: true}), NewShares(Sharing{Mutable: true})
	managed := []string{"metadata", "managedFields", "fieldsV1"}
	if !same(plain, managed...) || !same(parts, managed...) || same(mutable, managed...) || same(nil, managed...) {
		t.Error("the fields of managers")
	}
	if same(plain, "spec", "many") || !same(parts, "spec", "many") || same(mutable, "spec", "many") || same(plain, "metadata", "labels") {
		t.Error("other maps")
	}
	if same(parts) {
		t.Error("two objects are one map")
	}
}

var odd = []string{
	"", "\xf6", "\x80", "\xa1", "\xa0", "\xa0\xa0", "\xd9\xd9\xf7\xa0", "\xa1Aa\xf9\x7e\x00", "\xa1Aa\xf9\x7c\x00", "\xa2Aa\x01Aa\x01", "\xa2Aa\x01aa\x01", "\xa1\x01\x02",
	"\xbfAa\x01\xff", "\xa1Aa\xd6C123", "\xa1Aa\xc0\x74" + "2013-03-21T20:04:00Z", "\xa1Aa\xf7", "\xa1Aa\xf8\xff", "\xa1aa\x61\xff", "\xa1Aa\x41\xff", "\xa1Aa\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
	"\xa1Aa\x3b\xff\xff\xff\xff\xff\xff\xff\xff", "\xa1Aa\x5f\x41a\x41b\xff", "\xa1Aa\x9f\xff", "\xa1Aa\x9b\x7f\xff\xff\xff\xff\xff\xff\xff", "\xa1\x41a\x5b\x7f\xff\xff\xff\xff\xff\xff\xff",
	"\xbb\x00\x00\x00\x00\x00\x00\x00\x01Aa\x01", "\xa1Aa\xf9\x00\x01", "\xa1Aa\xf9\x80\x00", "\xa1Aa\xfa\x7f\x80\x00\x00", "\xa1Aa\xc2\x41\x01", "\xa1\xd9\xd9\xf7\x41a\x01",
	"\xa1\x48metadata\xa1\x4dmanagedFields\x81\xa1\x48fieldsV1\xa2\x41a\xa0\x41a\xa0",
}

func check(t *testing.T, data []byte, shares []*Shares) {
	t.Helper()
	var want map[string]any
	wantErr := direct.Unmarshal(data, &want)
	for _, s := range shares {
		got, err := DecodeNext(data, s, nil)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%x: %v, %v; want %v, %v", data, got, err, want, wantErr)
		}
		if err != nil {
			continue
		}
		again, err := DecodeNext(data, s, got)
		if err != nil || !reflect.DeepEqual(again, want) {
			t.Fatalf("%x: %v, %v; want %v", data, again, err, want)
		}
		// Another state of the object has not what it should not.
		if len(got) > 0 {
			for name := range got {
				got[name] = "changed"
				break
			}
			if again, err := DecodeNext(data, s, got); err != nil || !reflect.DeepEqual(again, want) {
				t.Fatalf("%x: %v, %v; want %v", data, again, err, want)
			}
		}
	}
}

func allShares() []*Shares {
	return []*Shares{nil, NewShares(Sharing{}), NewShares(Sharing{Parts: true})}
}

func TestOdd(t *testing.T) {
	shares := allShares()
	for _, data := range odd {
		check(t, []byte(data), shares)
	}
	for bits := range 1 << 16 {
		data := []byte{0xf9, byte(bits >> 8), byte(bits)}
		var want float64
		err := cbor.Unmarshal(data, &want)
		if got := half(uint16(bits)); err != nil || got != want && !(math.IsNaN(got) && (math.IsNaN(want) || math.IsInf(want, 0))) || math.Signbit(got) != math.Signbit(want) && !math.IsNaN(got) {
			t.Fatalf("%x is %v; want %v, %v", bits, got, want, err)
		}
	}
	for _, deep := range []int{deepest - 2, deepest + 2} {
		check(t, []byte("\xa1\x41a"+string(bytes.Repeat([]byte{0x81}, deep))+"\x01"), shares)
	}
}

// FuzzDecode: objects are decoded as by the serializer, or an error as there.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		f.Add(shuffled(f, sample(r)))
	}
	for _, data := range odd {
		f.Add([]byte(data))
	}
	shares := allShares()
	f.Fuzz(func(t *testing.T, data []byte) { check(t, data, shares) })
}

func TestInto(t *testing.T) {
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "a", ManagedFields: []metav1.ManagedFieldsEntry{{FieldsV1: metav1.NewFieldsV1(`{"f:a":{}}`)}}},
	}
	var data bytes.Buffer
	if err := Encode(pod, &data); err != nil {
		t.Fatal(err)
	}
	var got corev1.Pod
	if err := Into(data.Bytes(), &got); err != nil || !reflect.DeepEqual(&got, pod) {
		t.Errorf("%+v, %v; want %+v", got, err, pod)
	}
	// Metadata alone, and a type that is none of the API.
	var partial metav1.PartialObjectMetadata
	if err := Into(data.Bytes(), &partial); err != nil || partial.Name != "a" {
		t.Errorf("%+v, %v", partial, err)
	}
	var own struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Bytes []byte `json:"bytes"`
	}
	text, err := FromJSON([]byte(`{"metadata":{"name":"x"},"bytes":"AAEC","more":[1]}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := Into(text, &own); err != nil || own.Metadata.Name != "x" || string(own.Bytes) != "\x00\x01\x02" {
		t.Errorf("%+v, %v", own, err)
	}
	var plain struct { // it is no runtime.Object, and has fields of managers
		metav1.ObjectMeta `json:"metadata"`
	}
	if err := Into(data.Bytes(), &plain); err != nil || plain.ManagedFields[0].FieldsV1.GetRawString() != `{"f:a":{}}` {
		t.Errorf("%+v, %v", plain, err)
	}
	for _, wrong := range []string{"", "\xa1", "\xa2DkindAaDkindAb", "\x01"} {
		if err := Into([]byte(wrong), &corev1.Pod{}); err == nil {
			t.Errorf("%q is a pod", wrong)
		}
	}
	for _, wrong := range []string{"", "null", "{"} {
		if data, err := FromJSON([]byte(wrong)); err == nil {
			t.Errorf("%q is %x", wrong, data)
		}
	}
	if data, err := Marshal(map[string]any{"a": json.RawMessage(`{"b":1}`)}); err != nil || string(data) != "\xa1Aa\xa1Ab\x01" {
		t.Errorf("%q, %v", data, err)
	}
}
