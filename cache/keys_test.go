package cache

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Points 1 to 3 of what client-go's users rely on.

func TestAKeyIsNamespaceAndNameOrTheNameAlone(t *testing.T) {
	for obj, want := range map[any]string{
		pod("ns", "name", ""):    "ns/name",
		pod("", "name", ""):      "name",
		ExplicitKey("a/b/c"):     "a/b/c",
		any(*new(ExplicitKey)):   "",
		pod("", "", ""):          "",
		pod("ns", "", "version"): "ns/",
	} {
		got, err := MetaNamespaceKeyFunc(obj)
		mustNot(t, err)
		wantEqual(t, "key", got, want)
	}
}

func TestAnObjectWithoutMetadataHasNoKey(t *testing.T) {
	for _, obj := range []any{nil, "text", 7, struct{}{}, (*corev1.Pod)(nil), DeletedFinalStateUnknown{Key: "a"}} {
		_, err := MetaNamespaceKeyFunc(obj)
		wantError(t, err, "object has no meta: ")
	}
}

func TestAKeyIsSplitAtItsOnlySlash(t *testing.T) {
	for key, want := range map[string]ObjectName{"name": {"", "name"}, "ns/name": {"ns", "name"}, "": {}, "ns/": {"ns", ""}} {
		got, err := ParseObjectName(key)
		mustNot(t, err)
		wantEqual(t, key, got, want)
	}
	_, _, err := SplitMetaNamespaceKey("a/b/c")
	wantError(t, err, `unexpected key format: "a/b/c"`)
}

func TestAnObjectNameIsWrittenAsItsKey(t *testing.T) {
	n := NewObjectName("ns", "name")
	wantEqual(t, "string", n.String(), "ns/name")
	wantEqual(t, "there and back", NamespacedNameAsObjectName(n.AsNamespacedName()), n)
	wantEqual(t, "namespaced name", n.AsNamespacedName(), types.NamespacedName{Namespace: "ns", Name: "name"})
	namespace, name := n.Parts()
	wantEqual(t, "parts", [2]string{namespace, name}, [2]string{"ns", "name"})
}

func TestATombstoneHasTheKeyThatItCarries(t *testing.T) {
	tombstone := DeletedFinalStateUnknown{Key: "ns/gone", Obj: pod("other", "object", "")}
	key, err := DeletionHandlingMetaNamespaceKeyFunc(tombstone)
	mustNot(t, err)
	wantEqual(t, "key", key, "ns/gone")
	name, err := DeletionHandlingObjectToName(tombstone)
	mustNot(t, err)
	wantEqual(t, "name", name, NewObjectName("ns", "gone"))
	// The value is recognised, a pointer to it is not.
	_, err = DeletionHandlingMetaNamespaceKeyFunc(&tombstone)
	wantError(t, err, "object has no meta: ")
}

func TestAFailingKeyFunctionComesBackInAKeyError(t *testing.T) {
	keyFunc := func(any) (string, error) { return "", errBad }
	s := NewStore(keyFunc)
	_, _, getErr := s.Get("x")
	d, r, h := NewDeltaFIFO(keyFunc, nil), NewRealFIFO(keyFunc, s, nil), NewHeap(keyFunc, nil)
	e, f := NewTTLStore(keyFunc, 0), NewFIFO(keyFunc)
	for _, err := range []error{
		s.Add("x"), s.Update("x"), s.Delete("x"), getErr, s.Replace([]any{"x"}, ""),
		d.Add("x"), d.Delete("x"), d.Replace([]any{"x"}, ""), d.AddIfNotPresent(Deltas{{Added, "x"}}),
		r.Add("x"), r.Replace([]any{"x"}, ""), h.Add("x"), h.Delete("x"),
		e.Add("x"), e.Delete("x"), e.Replace([]any{"x"}, ""), f.Add("x"), f.Delete("x"), f.Replace([]any{"x"}, ""),
	} {
		key, ok := errors.AsType[KeyError](err)
		if !ok || !errors.Is(err, errBad) {
			t.Fatalf("error %v, want a KeyError around %v", err, errBad)
		}
		wantError(t, key, "couldn't create key for object")
	}
}
