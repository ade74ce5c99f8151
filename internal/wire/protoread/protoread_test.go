package protoread

import (
	"fmt"
	"maps"
	oldrand "math/rand"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/randfill"

	"vedette.dev/internal/testsize"
	"vedette.dev/kubernetes/scheme"
)

// form is what all generated types can do.
type form interface {
	unmarshaler
	Marshal() ([]byte, error)
}

func filler(seed uint64) *randfill.Filler {
	codecs := serializer.NewCodecFactory(scheme.Scheme)
	return fuzzer.FuzzerFor(metafuzzer.Funcs, oldrand.NewSource(int64(seed)), codecs).NilChance(0.5).NumElements(1, 2).MaxDepth(10)
}

// kinds are the built-in kinds that have a protobuf form.
func kinds() map[schema.GroupVersionKind]reflect.Type {
	out := map[schema.GroupVersionKind]reflect.Type{}
	for gvk, t := range scheme.Scheme.AllKnownTypes() {
		obj := reflect.New(t).Interface()
		_, encodes := obj.(form)
		_, isObject := obj.(metav1.Object)
		if encodes && isObject && gvk.Version != runtime.APIVersionInternal {
			out[gvk] = t
		}
	}
	return out
}

// sortedKinds are the types of the kinds, always in the same order.
func sortedKinds() []reflect.Type {
	all := kinds()
	names := slices.SortedFunc(maps.Keys(all), func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	var out []reflect.Type
	for _, gvk := range names {
		out = append(out, all[gvk])
	}
	return out
}

// check compares what comes out with what the generated code makes of the same bytes.
func check(plan *Plan, shares *Shares, t reflect.Type, data []byte) error {
	want := reflect.New(t).Interface().(unmarshaler)
	wantErr := want.Unmarshal(data)
	if plan.Check(data) && wantErr != nil {
		return fmt.Errorf("Check said that it can be decoded: %w", wantErr)
	}
	got, err := plan.Decode(slices.Clone(data), shares)
	switch {
	case fmt.Sprint(err) != fmt.Sprint(wantErr):
		return fmt.Errorf("error %v, want %v", err, wantErr)
	case err == nil && !reflect.DeepEqual(got, want):
		return fmt.Errorf("got  %+v\nwant %+v", got, want)
	}
	return nil
}

func TestEveryKind(t *testing.T) {
	plans, unsure := 0, 0
	for gvk, typ := range kinds() {
		plan, err := Compile(reflect.New(typ).Interface())
		if err != nil {
			t.Errorf("%v: %v", gvk, err)
			continue
		}
		plans++
		mutable, strings, trees := plan.NewShares(Sharing{Mutable: true}), plan.NewShares(Sharing{}), plan.NewShares(Sharing{Parts: true})
		f := filler(uint64(plans))
		for range testsize.Of(8, 2) {
			obj := reflect.New(typ).Interface().(form)
			f.Fill(obj)
			data, err := obj.Marshal()
			if err != nil {
				t.Fatal(gvk, err)
			}
			if !plan.Check(data) {
				unsure++
			}
			for _, shares := range []*Shares{nil, mutable, strings, strings, trees, trees} {
				if err := check(plan, shares, typ, data); err != nil {
					t.Errorf("%v: %v", gvk, err)
				}
			}
		}
	}
	if unsure > plans { // unusual quantities are left to the generated code
		t.Errorf("of %d objects it was not sure that they can be decoded", unsure)
	}
	if plans < 100 {
		t.Errorf("only %d kinds were tried", plans)
	}
}

// ownForm are the types that are left to themselves: some have a form of their own, and some a field that is too seldom to know.
var ownForm = strings.Fields(`resource.Quantity runtime.RawExtension v1.CertificateSigningRequestSpec
	v1.CounterSet v1.Device v1.MicroTime v1.PodDisruptionBudgetStatus
	v1.SubjectAccessReviewSpec v1.Time v1.TokenRequestSpec
	v1.UserInfo v1beta1.BasicDevice v1beta1.CertificateSigningRequestSpec v1beta1.CounterSet
	v1beta1.PodDisruptionBudgetStatus v1beta1.SubjectAccessReviewSpec v1beta1.UserInfo v1beta2.CounterSet v1beta2.Device`)

// TestEveryPlanIsWhole has no other type left to itself, or decoding is slower than it need be.
func TestEveryPlanIsWhole(t *testing.T) {
	for _, typ := range kinds() {
		c := &compiler{messages: map[reflect.Type]*message{}}
		c.message(typ)
		for typ, m := range c.messages {
			if m.own && !slices.Contains(ownForm, typ.String()) {
				t.Errorf("%v is left to itself", typ)
			}
		}
	}
}

// TestBadBytes decodes bytes that are wrong in some place.
func TestBadBytes(t *testing.T) {
	plan, err := Compile(&corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	shares := plan.NewShares(Sharing{Parts: true})
	f, r := filler(1), rand.New(rand.NewPCG(1, 1))
	for range 60 {
		pod := &corev1.Pod{}
		f.Fill(pod)
		data, err := pod.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			bad := slices.Clone(data)
			switch at := r.IntN(len(bad)); r.IntN(4) {
			case 0:
				bad[at] ^= 1 << r.IntN(8)
			case 1:
				bad = bad[:at]
			case 2: // something twice
				end := at + r.IntN(len(bad)-at)
				bad = slices.Concat(bad, bad[at:end])
			case 3:
				bad = slices.Concat(bad, bad)
			}
			if err := check(plan, shares, reflect.TypeFor[corev1.Pod](), bad); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSharing has equal parts of two objects be one in memory, and parts that differ be two.
func TestSharing(t *testing.T) {
	plan, err := Compile(&corev1.Pod{}, "metadata.managedFields")
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string, shares *Shares) *corev1.Pod {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: name, Labels: map[string]string{"app": "web", "tier": "front"},
				ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
			},
			Spec: corev1.PodSpec{NodeName: "node-17", Containers: []corev1.Container{{
				Name: "main-" + name, Env: []corev1.EnvVar{{Name: "A", Value: "a value"}, {Name: "B", Value: "another"}},
				SecurityContext: &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"NET_ADMIN", "SYS_TIME"}}},
			}}},
		}
		data, err := pod.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		obj, err := plan.Decode(data, shares)
		if err != nil {
			t.Fatal(err)
		}
		clear(data) // nothing of it may be in use
		pod.ManagedFields = nil
		if !reflect.DeepEqual(obj, pod) {
			t.Fatalf("got %+v, want %+v", obj, pod)
		}
		return obj.(*corev1.Pod)
	}
	for _, trees := range []bool{true, false} {
		shares := plan.NewShares(Sharing{Parts: trees})
		a, b := read("a", shares), read("b", shares)
		if unsafe.StringData(a.Spec.NodeName) != unsafe.StringData(b.Spec.NodeName) {
			t.Errorf("trees %v: the string is there twice", trees)
		}
		if got := &a.Spec.Containers[0].Env[0] == &b.Spec.Containers[0].Env[0]; got != trees {
			t.Errorf("trees %v: the list is shared: %v", trees, got)
		}
		if got := a.Spec.Containers[0].SecurityContext == b.Spec.Containers[0].SecurityContext; got != trees {
			t.Errorf("trees %v: the message is shared: %v", trees, got)
		}
		if got := reflect.ValueOf(a.Labels).Pointer() == reflect.ValueOf(b.Labels).Pointer(); got != trees {
			t.Errorf("trees %v: the map is shared: %v", trees, got)
		}
		if &a.Spec.Containers[0] == &b.Spec.Containers[0] {
			t.Errorf("trees %v: what differs is shared", trees)
		}
		if env := a.Spec.Containers[0].Env; len(env) != cap(env) {
			t.Errorf("trees %v: there is room behind a list of %d", trees, len(env))
		}
	}
}

// TestConcurrentSharing decodes in many goroutines with the same shares.
func TestConcurrentSharing(t *testing.T) {
	plan, err := Compile(&corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	shares := plan.NewShares(Sharing{Parts: true})
	f := filler(3)
	var all [][]byte
	for range 20 {
		pod := &corev1.Pod{}
		f.Fill(pod)
		data, err := pod.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range testsize.Of(200, 40) {
				if err := check(plan, shares, reflect.TypeFor[corev1.Pod](), all[(i*7+j)%len(all)]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestCompileErrors(t *testing.T) {
	for _, test := range []struct {
		example any
		drop    []string
		want    string
	}{
		{nil, nil, "has no protobuf form"},
		{corev1.Pod{}, nil, "has no protobuf form"},
		{&unstructured.Unstructured{}, nil, "has no protobuf form"},
		{&metav1.Time{}, nil, "a form of its own"},
		{&corev1.Pod{}, []string{"metadata.managedfields"}, `has no field "managedfields"`},
		{&corev1.Pod{}, []string{"spec.containers.image"}, "is not a message that is always there"},
	} {
		if _, err := Compile(test.example, test.drop...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%T %v: got %v, want %q", test.example, test.drop, err, test.want)
		}
	}
}
