package pods

import (
	"bytes"
	"testing"
)

func TestEncoderWritesWhatNewMakes(t *testing.T) {
	// Also numbers far away: they have more digits, and must not have more bytes.
	numbers := []int{99_999, 100_000, 123_456, 999_999}
	for i := 0; i < 2*shapeCount*replicas; i += 13 {
		numbers = append(numbers, i)
	}
	for _, e := range []Encoding{JSON, Protobuf} {
		enc, err := NewEncoder(e)
		if err != nil {
			t.Fatal(err)
		}
		const before = "before"
		buf := []byte(before)
		for _, i := range numbers {
			want, err := encode(e, New(i))
			if err != nil {
				t.Fatal(err)
			}
			buf = enc.Append(buf[:len(before)], i)
			if string(buf[:len(before)]) != before {
				t.Fatalf("pod %d in %s: what stood before is gone", i, e)
			}
			if got := buf[len(before):]; !bytes.Equal(got, want) {
				t.Fatalf("pod %d in %s:\ngot  %q\nwant %q", i, e, got, want)
			}
			changed, err := encode(e, Changed(i, i+7))
			if err != nil {
				t.Fatal(err)
			}
			if got := enc.AppendChanged(nil, i, i+7); !bytes.Equal(got, changed) || bytes.Equal(got, want) {
				t.Fatalf("pod %d in %s after a change:\ngot  %q\nwant %q", i, e, got, changed)
			}
			if enc.Size(i) != len(want) {
				t.Fatalf("pod %d in %s: said to have %d bytes, has %d", i, e, enc.Size(i), len(want))
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, e := range []Encoding{JSON, Protobuf} {
		b.Run(e.String(), func(b *testing.B) {
			enc, err := NewEncoder(e)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var buf []byte
			for i := 0; b.Loop(); i++ {
				buf = enc.Append(buf[:0], i)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		New(i)
	}
}
