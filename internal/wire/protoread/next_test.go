package protoread

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/internal/mutate"
)

// states are those of an object that changes in one field of the outermost at a time.
func states(t testing.TB, typ reflect.Type, seed uint64, n int) [][]byte {
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

func plainly(t testing.TB, typ reflect.Type, data []byte) any {
	t.Helper()
	obj := reflect.New(typ).Interface()
	if err := obj.(unmarshaler).Unmarshal(data); err != nil {
		t.Fatal(typ, err)
	}
	return obj
}

// TestEveryKindAsItChanges decodes states of an object one after the other: each is what the generated code makes of it, and those
// before it stay what they were.
func TestEveryKindAsItChanges(t *testing.T) {
	seed := uint64(0)
	for gvk, typ := range kinds() {
		plan, err := Compile(reflect.New(typ).Interface())
		if err != nil {
			t.Fatal(gvk, err)
		}
		seed++
		for _, what := range []Sharing{{}, {Parts: true}} {
			shares := plan.NewShares(what)
			var last any
			var got, want []any
			for _, data := range states(t, typ, seed, 6) {
				obj, err := plan.DecodeNext(slices.Clone(data), shares, last)
				if err != nil {
					t.Fatal(gvk, err)
				}
				got, want, last = append(got, obj), append(want, plainly(t, typ, data)), obj
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %+v: got  %+v\nwant %+v", gvk, what, got, want)
			}
		}
	}
}

// TestAWrittenPartIsDecodedAnew writes to an object at random places. Its next state is what the server sent, and Same finds
// what was written.
func TestAWrittenPartIsDecodedAnew(t *testing.T) {
	seed, same, tried := uint64(0), 0, 0
	for gvk, typ := range kinds() {
		plan, err := Compile(reflect.New(typ).Interface())
		if err != nil {
			t.Fatal(gvk, err)
		}
		seed++
		f, r := filler(seed), rand.New(rand.NewPCG(seed, 2))
		for _, what := range []Sharing{{}, {Parts: true}} {
			shares := plan.NewShares(what)
			for range 3 {
				obj := reflect.New(typ).Interface().(form)
				f.Fill(obj)
				data, err := obj.Marshal()
				if err != nil {
					t.Fatal(gvk, err)
				}
				want := plainly(t, typ, data)
				first, err := plan.Decode(data, shares)
				if err != nil {
					t.Fatal(gvk, err)
				}
				tried++
				if plan.Same(first, data) {
					same++
				}
				written := mutate.Object(r, first)
				if plan.Same(first, data) && !reflect.DeepEqual(first, want) && !strings.HasPrefix(written, "TypeMeta") {
					t.Fatalf("%v: %s was written, and Same does not see it", gvk, written)
				}
				for i, decode := range []func() (any, error){
					func() (any, error) { return plan.DecodeNext(data, shares, first) },
					func() (any, error) { return plan.Decode(data, shares) },
				} {
					if next, err := decode(); err != nil || !reflect.DeepEqual(next, want) {
						t.Fatalf("%v, %+v, %d: %s was written, and is in a later state: %v\ngot  %+v\nwant %+v", gvk, what, i, written, err, next, want)
					}
				}
			}
		}
	}
	if same < tried/2 {
		t.Errorf("of %d objects only %d were seen to be the same", tried, same)
	}
}

func marshalled(t testing.TB, pod *corev1.Pod) []byte {
	t.Helper()
	data, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func podPlan(t testing.TB) *Plan {
	t.Helper()
	plan, err := Compile(&corev1.Pod{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestWhatHasNotChangedIsTakenOver has parts of an object be those of the state before, if they are equal.
func TestWhatHasNotChangedIsTakenOver(t *testing.T) {
	plan := podPlan(t)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "alone", Image: "of its own", Env: []corev1.EnvVar{{Name: "A"}}}}},
	}
	shares := plan.NewShares(Sharing{})
	decode := func(last *corev1.Pod) *corev1.Pod {
		obj, err := plan.DecodeNext(marshalled(t, pod), shares, last)
		if err != nil || !reflect.DeepEqual(obj, pod) {
			t.Fatalf("got %+v, %v, want %+v", obj, err, pod)
		}
		return obj.(*corev1.Pod)
	}
	first := decode(nil)
	pod.Status.Phase, pod.Annotations["c"] = corev1.PodRunning, "e"
	second := decode(first)
	if &first.Spec.Containers[0] != &second.Spec.Containers[0] || reflect.ValueOf(first.Labels).Pointer() != reflect.ValueOf(second.Labels).Pointer() {
		t.Error("what has not changed was decoded again")
	}
	if reflect.ValueOf(first.Annotations).Pointer() == reflect.ValueOf(second.Annotations).Pointer() {
		t.Error("what has changed is the same")
	}
	pod.Spec.Containers[0].Image = "another"
	third := decode(second)
	if &second.Spec.Containers[0] == &third.Spec.Containers[0] || &second.Spec.Containers[0].Env[0] != &third.Spec.Containers[0].Env[0] {
		t.Error("of a container with another image, only the image has changed")
	}
}

// TestObjectsShareNoMemoryThatIsWritten decodes equal objects, and expects no memory in two of them but strings and the text of
// managed fields.
func TestObjectsShareNoMemoryThatIsWritten(t *testing.T) {
	seed := uint64(0)
	for gvk, typ := range kinds() {
		plan, err := Compile(reflect.New(typ).Interface())
		if err != nil {
			t.Fatal(gvk, err)
		}
		seed++
		f := filler(seed)
		shares := plan.NewShares(Sharing{})
		for range 4 {
			obj := reflect.New(typ).Interface().(form)
			f.Fill(obj)
			data, err := obj.Marshal()
			if err != nil {
				t.Fatal(gvk, err)
			}
			a, errA := plan.Decode(data, shares)
			b, errB := plan.Decode(data, shares)
			if errA != nil || errB != nil {
				t.Fatal(gvk, errA, errB)
			}
			if path := mutate.Shared(a, b); path != "" {
				t.Fatalf("%v: two objects have the same %s", gvk, path)
			}
		}
	}
}

// TestQuantitiesAreNotShared has quantities that their own methods write to be in one object each, also if parts are shared.
func TestQuantitiesAreNotShared(t *testing.T) {
	plan := podPlan(t)
	limit, huge := resource.MustParse("1Gi"), resource.MustParse("123456789012345678901234567890")
	pod := &corev1.Pod{Spec: corev1.PodSpec{
		Volumes:  []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: &limit}}}},
		Overhead: corev1.ResourceList{"cpu": huge},
	}}
	data := marshalled(t, pod)
	shares := plan.NewShares(Sharing{Parts: true})
	var pods []*corev1.Pod
	for range 3 {
		obj, err := plan.Decode(data, shares)
		if err != nil {
			t.Fatal(err)
		}
		pods = append(pods, obj.(*corev1.Pod))
	}
	obj, err := plan.DecodeNext(data, shares, pods[2])
	if err != nil {
		t.Fatal(err)
	}
	pods = append(pods, obj.(*corev1.Pod))
	for i, pod := range pods[1:] {
		if pod.Spec.Volumes[0].EmptyDir.SizeLimit == pods[i].Spec.Volumes[0].EmptyDir.SizeLimit {
			t.Errorf("pods %d and %d have one SizeLimit", i, i+1)
		}
		a, b := pod.Spec.Overhead["cpu"], pods[i].Spec.Overhead["cpu"]
		if a.AsDec() == b.AsDec() {
			t.Errorf("pods %d and %d have one number in their overhead", i, i+1)
		}
	}
	if plan.Same(pods[0], data) {
		t.Error("a quantity was read that others may write to")
	}
	const large = "999999999999Ti" // which is more than 64 bits
	if q, ok := readQuantity(append([]byte{1<<3 | wireBytes, byte(len(large))}, large...)); ok {
		t.Errorf("%v has a pointer to its number, and would be in several objects", q)
	}
}

// TestEqualQuantitiesOfOneObject has the status have a map of quantities of the spec, unless the object is for who may change it.
func TestEqualQuantitiesOfOneObject(t *testing.T) {
	plan := podPlan(t)
	list := corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("1Gi")}
	data := marshalled(t, &corev1.Pod{
		Spec:   corev1.PodSpec{Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Limits: list, Requests: list}}}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{AllocatedResources: list}}},
	})
	for _, test := range []struct {
		shares *Shares
		want   bool
	}{{nil, false}, {plan.NewShares(Sharing{Mutable: true}), false}, {plan.NewShares(Sharing{}), true}} {
		obj, err := plan.Decode(data, test.shares)
		if err != nil {
			t.Fatal(err)
		}
		pod := obj.(*corev1.Pod)
		a, b := pod.Spec.Containers[0].Resources.Limits, pod.Status.ContainerStatuses[0].AllocatedResources
		if got := reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(b).UnsafePointer(); got != test.want {
			t.Errorf("equal maps are one: %v, want %v", got, test.want)
		}
		if c := pod.Spec.Containers[0].Resources.Requests; reflect.ValueOf(a).UnsafePointer() == reflect.ValueOf(c).UnsafePointer() {
			t.Error("two maps of the spec are one")
		}
	}
}

// TestManagedFieldsAreStoredOnce has the text of managed fields be shared, and nothing around it.
func TestManagedFieldsAreStoredOnce(t *testing.T) {
	plan := podPlan(t)
	data := marshalled(t, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
		{Manager: "kubelet", FieldsV1: metav1.NewFieldsV1(`{"f:status":{}}`)},
	}}})
	shares := plan.NewShares(Sharing{})
	var got [2]*metav1.FieldsV1
	for i := range got {
		obj, err := plan.Decode(data, shares)
		if err != nil {
			t.Fatal(err)
		}
		got[i] = obj.(*corev1.Pod).ManagedFields[0].FieldsV1
	}
	a, b := got[0].GetRawBytes(), got[1].GetRawBytes()
	if got[0] == got[1] || unsafe.SliceData(a) != unsafe.SliceData(b) || cap(a) != len(a) {
		t.Errorf("got %p and %p with texts at %p and %p", got[0], got[1], a, b)
	}
}

// TestAPartInPieces has parts of a message come in several pieces, of which one changes.
func TestAPartInPieces(t *testing.T) {
	plan := podPlan(t)
	shares := plan.NewShares(Sharing{})
	node := func(name string) []byte { return marshalled(t, &corev1.Pod{Spec: corev1.PodSpec{NodeName: name}}) }
	grace := []byte{2<<3 | wireBytes, 2, 4<<3 | wireVarint, 30} // spec.terminationGracePeriodSeconds, and nothing else
	var last any
	for _, data := range [][]byte{
		grace, slices.Concat(node("a"), grace), slices.Concat(node("b"), grace), grace, slices.Concat(grace, grace),
	} {
		obj, err := plan.DecodeNext(slices.Clone(data), shares, last)
		if err != nil {
			t.Fatal(err)
		}
		if want := plainly(t, reflect.TypeFor[corev1.Pod](), data); !reflect.DeepEqual(obj, want) {
			t.Fatalf("got  %+v\nwant %+v", obj, want)
		}
		last = obj
	}
}

// FuzzDecodeNext decodes two messages of a built-in kind one after the other.
func FuzzDecodeNext(f *testing.F) {
	type kind struct {
		typ    reflect.Type
		plan   *Plan
		shares [2]*Shares
	}
	var all []kind
	for _, typ := range sortedKinds() {
		plan, err := Compile(reflect.New(typ).Interface())
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, kind{typ, plan, [2]*Shares{plan.NewShares(Sharing{}), plan.NewShares(Sharing{Parts: true})}})
	}
	for i := 0; i < len(all); i += 8 { // mutated, they are read as other kinds as well
		s := states(f, all[i].typ, uint64(i), 2)
		f.Add(uint16(i), s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, number uint16, first, second []byte) {
		k := all[int(number)%len(all)]
		for _, shares := range k.shares {
			var last any
			for _, data := range [][]byte{first, second, first} {
				if err := check(k.plan, shares, k.typ, data); err != nil {
					t.Fatal(err)
				}
				obj, err := k.plan.DecodeNext(slices.Clone(data), shares, last)
				want := reflect.New(k.typ).Interface().(unmarshaler)
				if wantErr := want.Unmarshal(data); (err == nil) != (wantErr == nil) {
					t.Fatalf("error %v, want %v", err, wantErr)
				}
				if err != nil {
					continue
				}
				if !reflect.DeepEqual(obj, want) {
					t.Fatalf("got  %+v\nwant %+v", obj, want)
				}
				last = obj
			}
		}
	})
}
