package protoscan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
)

const limit = 1 << 20

// wrapped puts Kubernetes' envelope around a message.
func wrapped(kind string, body []byte) []byte {
	unknown := apiruntime.Unknown{TypeMeta: apiruntime.TypeMeta{APIVersion: "v1", Kind: kind}, Raw: body}
	data, err := unknown.Marshal()
	if err != nil {
		panic(err)
	}
	return append([]byte(magic), data...)
}

func podList(names ...string) (*corev1.PodList, []byte) {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "42", Continue: "next"}}
	for _, name := range names {
		list.Items = append(list.Items, corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", Labels: map[string]string{"app": name}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "image"}}},
		})
	}
	body, err := list.Marshal()
	if err != nil {
		panic(err)
	}
	return list, wrapped("PodList", body)
}

func TestListReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,9}`), 0, 20).Draw(t, "names")
		list, data := podList(names...)
		for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))} {
			l := NewListReader(r, limit)
			for i := range list.Items {
				item, err := l.Next()
				if err != nil {
					t.Fatalf("item %d: %v", i, err)
				}
				var pod corev1.Pod
				if err := pod.Unmarshal(item); err != nil || pod.Name != names[i] {
					t.Fatalf("item %d is %q, %v; want %q", i, pod.Name, err, names[i])
				}
			}
			if _, err := l.Next(); err != io.EOF {
				t.Fatalf("at the end: %v", err)
			}
			var meta metav1.ListMeta
			if err := meta.Unmarshal(l.Meta); err != nil || meta.ResourceVersion != "42" || meta.Continue != "next" || l.Kind != "PodList" || l.APIVersion != "v1" {
				t.Fatalf("header %q %q %v, %v", l.APIVersion, l.Kind, meta, err)
			}
		}
	})
}

// A list that is cut anywhere must not look whole. What follows the body is empty and carries nothing.
func TestListReaderCutAnywhere(t *testing.T) {
	_, data := podList("a", "b", "c")
	end := bytes.LastIndex(data, []byte("image"))
	for n := range end {
		l := NewListReader(bytes.NewReader(data[:n]), limit)
		var err error
		for err == nil {
			_, err = l.Next()
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut after %d of %d bytes: %v", n, len(data), err)
		}
	}
}

func tagged(number, wireType int, rest ...byte) []byte {
	return append(binary.AppendUvarint(nil, uint64(number<<3|wireType)), rest...)
}

func TestHostileLengths(t *testing.T) {
	threeGB := binary.AppendUvarint(nil, 3<<30)
	tooLong := bytes.Repeat([]byte{0xff}, 11)
	list := func(inner []byte) []byte { return wrapped("PodList", inner) }
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"no magic", []byte("<html></html>"), ErrMalformed},
		{"body of 3 GB", append([]byte(magic), tagged(2, typeBytes, threeGB...)...), io.ErrUnexpectedEOF},
		{"type of 3 GB", append([]byte(magic), tagged(1, typeBytes, threeGB...)...), ErrTooLarge},
		{"item of 3 GB in a short body", list(tagged(2, typeBytes, threeGB...)), ErrMalformed},
		{"item of 3 GB in a long body", append(append([]byte(magic), tagged(2, typeBytes, binary.AppendUvarint(nil, 4<<30)...)...),
			tagged(2, typeBytes, threeGB...)...), ErrTooLarge},
		{"length too long", append([]byte(magic), tagged(2, typeBytes, tooLong...)...), ErrMalformed},
		{"length of 2^64-1", append([]byte(magic), tagged(2, typeBytes, binary.AppendUvarint(nil, 1<<64-1)...)...), ErrMalformed},
		{"number that never ends", list(bytes.Repeat([]byte{0x80}, 20)), ErrMalformed},
		{"field 0", list([]byte{0, 0}), ErrMalformed},
		{"group", list(tagged(3, 3)), ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			l := NewListReader(bytes.NewReader(tt.data), limit)
			var err error
			for err == nil {
				_, err = l.Next()
			}
			runtime.ReadMemStats(&after)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
				t.Errorf("%d bytes allocated", got)
			}
		})
	}
}

// A promise of many bytes costs no memory before they come.
func TestMemoryFollowsTheBytes(t *testing.T) {
	header := []byte{0x03, 0, 0, 0} // 48 MB
	f := NewFrameReader(io.MultiReader(bytes.NewReader(header), bytes.NewReader(make([]byte, 100))), 64<<20)
	_, err := f.Next()
	if !errors.Is(err, io.ErrUnexpectedEOF) || cap(f.s.buf) > bufferSize {
		t.Errorf("%v, with a buffer of %d bytes", err, cap(f.s.buf))
	}
}

func TestFrameReader(t *testing.T) {
	var stream bytes.Buffer
	var want []string
	for i := range 100 {
		frame := fmt.Sprintf("%0*d", i*i, i) // up to 10 KB
		want = append(want, frame)
		_ = binary.Write(&stream, binary.BigEndian, uint32(len(frame)))
		stream.WriteString(frame)
	}
	f := NewFrameReader(iotest.HalfReader(&stream), limit)
	for i := range want {
		if got, err := f.Next(); err != nil || string(got) != want[i] {
			t.Fatalf("frame %d: %d bytes, %v", i, len(got), err)
		}
	}
	if _, err := f.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	broken := errors.New("broken")
	f = NewFrameReader(io.MultiReader(bytes.NewReader([]byte{0, 0}), iotest.ErrReader(broken)), limit)
	if _, err := f.Next(); !errors.Is(err, broken) {
		t.Errorf("broken within a header: %v", err)
	}
	f = NewFrameReader(bytes.NewReader([]byte{0xff, 0xff, 0xff, 0xff, 1}), limit)
	if _, err := f.Next(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("4 GB: %v", err)
	}
}

func TestOpen(t *testing.T) {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	body, _ := pod.Marshal()
	e, err := Open(wrapped("Pod", body))
	if err != nil || e.Kind != "Pod" || e.APIVersion != "v1" || !bytes.Equal(e.Body, body) {
		t.Errorf("got %+v, %v", e, err)
	}
	for _, bad := range [][]byte{nil, []byte("k8s"), []byte("k8s\x00\x0a\xff"), []byte("{}")} {
		if _, err := Open(bad); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzListReader(f *testing.F) {
	_, data := podList("a", "b")
	f.Add(data)
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := NewListReader(bytes.NewReader(data), 1<<16)
		for range len(data) + 2 {
			if _, err := l.Next(); err != nil {
				return
			}
		}
		t.Fatal("more items than bytes")
	})
}

// FuzzMessage: where Unmarshal takes the bytes for a message, so must we; and we never go beyond them.
func FuzzMessage(f *testing.F) {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: map[string]string{"a": "b"}, Generation: 3}}
	data, _ := pod.Marshal()
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		m := NewMessage(data)
		seen := 0
		for m.Next() {
			seen += len(m.Bytes) + 1
		}
		if seen > len(data) {
			t.Fatalf("%d bytes of %d", seen, len(data))
		}
		_, _ = Open(data)
	})
}
