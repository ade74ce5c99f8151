package kubernetes_test

import (
	"encoding/binary"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes/scheme"
)

// Package rest reads lists item by item, and reads the metadata of an object without the rest of it. Both rely on
// where these are in protobuf: the metadata in field 1, the items of a list in field 2, one after the other. Nothing
// promises that but the definitions in k8s.io/api, so each of them is tried here.

// field is one of a protobuf message.
type field struct {
	number uint64
	data   []byte
}

// next takes the first field off a message. It must be one with a length, as metadata and items are.
func next(t *testing.T, message []byte) (first field, rest []byte) {
	t.Helper()
	tag, n := binary.Uvarint(message)
	size, m := binary.Uvarint(message[max(n, 0):])
	start := n + m
	if n <= 0 || m <= 0 || tag&7 != 2 || uint64(len(message)-start) < size {
		t.Fatalf("not a field with a length: % x", message[:min(8, len(message))])
	}
	end := start + int(size)
	return field{tag >> 3, message[start:end]}, message[end:]
}

type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func marshal(t *testing.T, v reflect.Value) []byte {
	t.Helper()
	m, ok := v.Interface().(message)
	if !ok {
		t.Fatalf("%v has no protobuf form", v.Type())
	}
	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestListsAreMetadataThenItems(t *testing.T) {
	lists := 0
	for gvk, known := range scheme.Scheme.AllKnownTypes() {
		_, isList := known.FieldByName("ListMeta")
		items, hasItems := known.FieldByName("Items")
		if !isList || !hasItems {
			continue
		}
		if _, ok := items.Type.Elem().FieldByName("ObjectMeta"); !ok {
			continue // a List of anything, which is not served
		}
		lists++
		t.Run(gvk.GroupVersion().String()+"."+gvk.Kind, func(t *testing.T) { checkList(t, known) })
	}
	if lists < 100 {
		t.Errorf("only %d lists were tried", lists)
	}
}

func checkList(t *testing.T, known reflect.Type) {
	list := reflect.New(known)
	list.Elem().FieldByName("ListMeta").Set(reflect.ValueOf(metav1.ListMeta{ResourceVersion: "7", Continue: "more"}))
	items := list.Elem().FieldByName("Items")
	items.Set(reflect.MakeSlice(items.Type(), 2, 2))
	names := []string{"first", "second"}
	for i, name := range names {
		items.Index(i).FieldByName("ObjectMeta").Set(reflect.ValueOf(metav1.ObjectMeta{Name: name}))
	}

	var got []field
	for data := marshal(t, list); len(data) > 0; {
		var f field
		f, data = next(t, data)
		got = append(got, f)
	}
	if len(got) != 3 || got[0].number != 1 || got[1].number != 2 || got[2].number != 2 {
		t.Fatalf("the fields are %v, want 1, 2, 2", got)
	}
	var meta metav1.ListMeta
	if err := meta.Unmarshal(got[0].data); err != nil || meta.ResourceVersion != "7" || meta.Continue != "more" {
		t.Errorf("field 1 is not the metadata: %+v, %v", meta, err)
	}
	for i, name := range names {
		item := reflect.New(items.Type().Elem())
		if err := item.Interface().(message).Unmarshal(got[i+1].data); err != nil {
			t.Fatal(err)
		}
		if got := item.Elem().FieldByName("ObjectMeta").Interface().(metav1.ObjectMeta).Name; got != name {
			t.Errorf("item %d is %q, want %q", i, got, name)
		}
	}
}

func TestObjectsBeginWithMetadata(t *testing.T) {
	for gvk, known := range scheme.Scheme.AllKnownTypes() {
		f, ok := known.FieldByName("ObjectMeta")
		if !ok || f.Type != reflect.TypeFor[metav1.ObjectMeta]() {
			continue
		}
		t.Run(gvk.GroupVersion().String()+"."+gvk.Kind, func(t *testing.T) {
			object := reflect.New(known)
			object.Elem().FieldByName("ObjectMeta").Set(reflect.ValueOf(metav1.ObjectMeta{Name: "name", UID: "uid"}))
			first, _ := next(t, marshal(t, object))
			var meta metav1.ObjectMeta
			if err := meta.Unmarshal(first.data); err != nil || first.number != 1 || meta.Name != "name" || meta.UID != "uid" {
				t.Errorf("field %d is %+v, %v, want the metadata in field 1", first.number, meta, err)
			}
		})
	}
}
