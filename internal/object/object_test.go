package object

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// rested is an object at rest.
type rested struct{ metav1.ObjectMeta }

var errNotDecoded = errors.New("not decoded")

func (r *rested) Key() string                          { return Join(r.Namespace, r.Name) }
func (r *rested) Revision() Revision                   { return Revision{r.UID, r.ResourceVersion} }
func (r *rested) Kind() schema.GroupVersionKind        { return schema.GroupVersionKind{} }
func (r *rested) Labels() labels.Labels                { return labels.Set(r.ObjectMeta.Labels) }
func (r *rested) Copy(Use) (any, error)                { return "a copy", nil }
func (r *rested) CopyFields(*Fields, Use) (any, error) { return "some fields", nil }
func (r *rested) Shared(Use) (any, error)              { return "shared", nil }
func (r *rested) IntoAny(any, Use) (bool, error)       { return false, nil }
func (r *rested) Metadata(Use) (*metav1.PartialObjectMetadata, error) {
	return nil, errNotDecoded
}

func TestIdentityInEveryForm(t *testing.T) {
	m := metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: "u", ResourceVersion: "7"}
	want := Revision{"u", "7"}
	for name, obj := range map[string]any{
		"decoded": &metav1.PartialObjectMetadata{ObjectMeta: m}, "at rest": &rested{m}, "metadata": &m,
	} {
		if got := Of(obj); got != want {
			t.Errorf("%s: the revision is %v", name, got)
		}
		if got := Of(Tombstone{"ns/a", obj}); got != want {
			t.Errorf("%s: the revision of a tombstone is %v", name, got)
		}
		if key, err := Key(obj); key != "ns/a" || err != nil {
			t.Errorf("%s: the key is %q, %v", name, key, err)
		}
		if version, ok := Version(obj); version != "7" || !ok {
			t.Errorf("%s: the version is %q, %v", name, version, ok)
		}
	}
	if _, err := Meta(&rested{m}); !errors.Is(err, errNotDecoded) {
		t.Errorf("metadata at rest: %v", err)
	}
	if obj, err := Shared(&rested{m}, ForHandler); obj != "shared" || err != nil || !IsAtRest(&rested{m}) {
		t.Errorf("got %v, %v", obj, err)
	}
	if obj, err := Copy(&rested{m}, ForGet); obj != "a copy" || err != nil {
		t.Errorf("got %v, %v", obj, err)
	}
	if obj, err := Copy(&m, ForGet); obj != any(&m) || err != nil || IsAtRest(&m) {
		t.Errorf("got %v, %v", obj, err)
	}
}

func TestWhatHasNoIdentity(t *testing.T) {
	for name, obj := range map[string]any{
		"nil": nil, "a string": "x", "a nil pointer": (*metav1.PartialObjectMetadata)(nil), "an empty tombstone": Tombstone{Key: "ns/a"},
	} {
		if got := Of(obj); got != (Revision{}) {
			t.Errorf("%s: the revision is %v", name, got)
		}
		if _, err := Meta(obj); err == nil {
			t.Errorf("%s has metadata", name)
		}
		if _, ok := Version(obj); ok {
			t.Errorf("%s has a version", name)
		}
		if _, err := Key(obj); err == nil {
			t.Errorf("%s has a key", name)
		}
	}
}

func TestRevisions(t *testing.T) {
	uids, versions := []types.UID{"", "u", "v"}, []string{"", "1", "2"}
	for _, u := range uids {
		for _, v := range versions {
			for _, w := range uids {
				for _, x := range versions {
					a, b := Revision{u, v}, Revision{w, x}
					if got, want := a.Same(b), u == w && v == x && u != "" && v != ""; got != want {
						t.Errorf("%v, %v: same is %v", a, b, got)
					}
					if got, want := a.Other(b), u != w && u != "" && w != ""; got != want {
						t.Errorf("%v, %v: other is %v", a, b, got)
					}
				}
			}
		}
	}
}

// TestCompare compares versions of different lengths with the numbers that they are.
func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		a, b := r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64)
		got, known := Compare(strconv.FormatUint(a, 10), strconv.FormatUint(b, 10))
		want := slices.Compare([]uint64{a}, []uint64{b})
		if got != want || !known {
			t.Fatalf("%d, %d: got %d, %v", a, b, got, known)
		}
	}
	for _, pair := range [][2]string{{"x", "1"}, {"1", "x"}, {"", "1"}, {"18446744073709551616", "1"}} {
		if _, known := Compare(pair[0], pair[1]); known {
			t.Errorf("%q and %q were compared", pair[0], pair[1])
		}
	}
	if order, known := Compare("x", "x"); order != 0 || !known {
		t.Error("equal versions are not equal")
	}
}

func TestNames(t *testing.T) {
	for key, want := range map[string][2]string{"ns/a": {"ns", "a"}, "a": {"", "a"}, "": {"", ""}, "/a": {"", "a"}} {
		namespace, name := Name(key)
		if [2]string{namespace, name} != want {
			t.Errorf("%q: got %q and %q", key, namespace, name)
		}
	}
	if Join("ns", "a") != "ns/a" || Join("", "a") != "a" {
		t.Error("Join")
	}
	if !Identical(&errNotDecoded, &errNotDecoded) || Identical([]int{1}, []int{1}) {
		t.Error("Identical")
	}
}
