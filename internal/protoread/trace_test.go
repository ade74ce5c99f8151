package protoread

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/internal/testsize"
)

// states are those of an object that changes in one field of the outermost at a time.
func states(t *testing.T, typ reflect.Type, seed uint64, n int) [][]byte {
	f, r := filler(seed), rand.New(rand.NewPCG(seed, 1))
	obj := reflect.New(typ)
	f.Fill(obj.Interface())
	var out [][]byte
	for range n {
		data, err := obj.Interface().(form).Marshal()
		if err != nil {
			t.Fatal(typ, err)
		}
		out = append(out, data)
		next := reflect.New(typ)
		f.Fill(next.Interface())
		at := r.IntN(typ.NumField())
		obj.Elem().Field(at).Set(next.Elem().Field(at))
	}
	return out
}

// TestEveryKindAsItChanges has each state be what the generated code makes of it, and those before it stay what they were.
func TestEveryKindAsItChanges(t *testing.T) {
	seed, remembered := uint64(0), 0
	for gvk, typ := range kinds() {
		plan, err := Compile(reflect.New(typ).Interface())
		if err != nil {
			t.Fatal(gvk, err)
		}
		seed++
		shares := plan.NewShares(true)
		var trace Trace
		var got, want []any
		for _, data := range states(t, typ, seed, testsize.Of(12, 4)) {
			obj, err := plan.DecodeNext(slices.Clone(data), shares, &trace)
			if err != nil {
				t.Fatal(gvk, err)
			}
			plain := reflect.New(typ).Interface().(unmarshaler)
			if err := plain.Unmarshal(data); err != nil {
				t.Fatal(gvk, err)
			}
			got, want = append(got, obj), append(want, plain)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got  %+v\nwant %+v", gvk, got, want)
		}
		if trace.Alive() {
			remembered++
		}
		runtime.KeepAlive(got)
	}
	// Some objects are unusual, such as those with an empty value in a map.
	if remembered < int(seed)*3/4 {
		t.Errorf("the last states of %d kinds are remembered, of %d", remembered, seed)
	}
}

func decodeNext(t *testing.T, plan *Plan, shares *Shares, trace *Trace, data []byte) *corev1.Pod {
	t.Helper()
	obj, err := plan.DecodeNext(slices.Clone(data), shares, trace)
	if err != nil {
		t.Fatal(err)
	}
	want := &corev1.Pod{}
	if err := want.Unmarshal(data); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(obj, want) {
		t.Fatalf("got  %+v\nwant %+v", obj, want)
	}
	return obj.(*corev1.Pod)
}

func marshalled(t *testing.T, pod *corev1.Pod) []byte {
	t.Helper()
	data, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestWhatHasNotChangedIsNotDecoded has a spec be that of the state before, and no other.
func TestWhatHasNotChangedIsNotDecoded(t *testing.T) {
	plan, err := Compile(&corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "alone", Image: "of its own"}}}}
	shares := plan.NewShares(true)
	var trace Trace
	first := decodeNext(t, plan, shares, &trace, marshalled(t, pod))
	shares.Forget() // so that it can only be known from the trace
	pod.Status.Phase = corev1.PodRunning
	second := decodeNext(t, plan, shares, &trace, marshalled(t, pod))
	if &first.Spec.Containers[0] != &second.Spec.Containers[0] {
		t.Error("the spec was decoded again")
	}
	shares.Forget()
	pod.Spec.NodeName = "node-1"
	third := decodeNext(t, plan, shares, &trace, marshalled(t, pod))
	if &second.Spec.Containers[0] == &third.Spec.Containers[0] {
		t.Error("the spec has changed, and is the same")
	}
	strings := plan.NewShares(false)
	var none Trace
	decodeNext(t, plan, strings, &none, marshalled(t, pod))
	if none.Alive() {
		t.Error("parts would be shared although only strings may be")
	}
	runtime.KeepAlive(third)
}

// TestAPartInPieces has parts of a message come in several pieces, of which one changes.
func TestAPartInPieces(t *testing.T) {
	plan, err := Compile(&corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	shares := plan.NewShares(true)
	var trace Trace
	node := func(name string) []byte { return marshalled(t, &corev1.Pod{Spec: corev1.PodSpec{NodeName: name}}) }
	grace := []byte{2<<3 | wireBytes, 2, 4<<3 | wireVarint, 30} // spec.terminationGracePeriodSeconds, and nothing else
	var held []*corev1.Pod
	for _, data := range [][]byte{
		grace, slices.Concat(node("a"), grace), slices.Concat(node("b"), grace), grace, slices.Concat(grace, grace),
	} {
		held = append(held, decodeNext(t, plan, shares, &trace, data))
	}
	runtime.KeepAlive(held)
}

func TestATraceHoldsNothing(t *testing.T) {
	plan, err := Compile(&corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	data := marshalled(t, &corev1.Pod{Spec: corev1.PodSpec{NodeName: "a"}})
	var trace Trace
	shares := plan.NewShares(true)
	decodeNext(t, plan, shares, &trace, data)
	for began := time.Now(); trace.Alive(); runtime.GC() {
		if time.Since(began) > 10*time.Second {
			t.Fatal("the object is held")
		}
	}
	decodeNext(t, plan, shares, &trace, data)
}
