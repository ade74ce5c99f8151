package pack

import (
	"bytes"
	"errors"
	"testing"
)

func TestDamageIsNoticed(t *testing.T) {
	p := newPods(1)
	original, src := protobuf(t, p.run(p.pod(1))), protobuf(t, p.run(p.pod(1)))
	var e encoder
	data := e.pack(newIndex(original), src)
	check := func(what string, data string, at int) {
		t.Helper()
		got, err := unpack(nil, original, data, true)
		if err == nil && !bytes.Equal(got, src) {
			t.Errorf("%s at %d: unpacked to something else without an error", what, at)
		}
		if err != nil && (!errors.Is(err, ErrDamaged) || got != nil) {
			t.Errorf("%s at %d: got %d bytes and error %v", what, at, len(got), err)
		}
	}
	for i := range len(data) {
		for bit := range 8 {
			b := []byte(data)
			b[i] ^= 1 << bit
			check("bit", string(b), i)
		}
		if i > 0 {
			check("end", data[:i], i)
		}
	}
	if _, err := unpack(nil, original, data+"x", true); err == nil {
		t.Error("more bytes than were packed, and no error")
	}
	if _, err := unpack(nil, original[:len(original)/2], data, true); err == nil {
		t.Error("half of the base, and no error")
	}
	// dst is returned unchanged.
	for what, x := range map[string]Packed{
		"object": {data: data[:len(data)-1], base: &base{data: e.pack(nil, original)}},
		"base":   {data: data, base: &base{data: "?"}},
	} {
		if got, err := x.AppendTo([]byte("before")); err == nil || string(got) != "before" {
			t.Errorf("got %q, %v, of a damaged %s", got, err, what)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	p := newPods(1)
	original := protobuf(f, p.run(p.pod(1)))
	var e encoder
	for _, src := range [][]byte{protobuf(f, p.run(p.pod(1))), protobuf(f, p.pod(2)), make([]byte, 1000), []byte(p.uid()), nil} {
		f.Add([]byte(e.pack(newIndex(original), src)))
		f.Add([]byte(e.pack(nil, src)))
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0xff})
	f.Add([]byte{0x80, 0x80, 0x80, 0x20, 0, 0, 0, 0, 0x80, 0x80})
	good := &base{data: e.pack(nil, original)}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, b := range []*base{nil, good, {data: string(data)}} {
			x := Packed{data: string(data), base: b}
			if x.Len() > 1<<14 {
				return // it would be allocated, which takes long
			}
			got, err := x.AppendTo(nil)
			if err == nil && len(got) != x.Len() {
				t.Fatalf("got %d bytes, Len is %d", len(got), x.Len())
			}
		}
	})
}
