package codec

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/internal/object"
	"vedette.dev/rest"
)

// atRest returns a codec and a packed object.
func atRest(tb testing.TB) (*Codec, object.AtRest) {
	c := New(Config{Example: &corev1.ConfigMap{}, Packed: true})
	obj, err := c.Admit(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a", UID: "1", ResourceVersion: "2"}})
	if err != nil {
		tb.Fatal(err)
	}
	Compress(obj)
	return c, obj.(object.AtRest)
}

func TestStats(t *testing.T) {
	c, obj := atRest(t)
	read := func(use object.Use) error {
		_, err := obj.Copy(use)
		return err
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				if err := read(object.ForGet); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for range 3 { // handlers are given the same object, which is decoded once
		_, _ = obj.Shared(object.ForHandler)
	}
	_, _ = obj.CopyFields(object.NewFields("metadata.labels"), object.ForIndexFunc)
	_, _ = obj.Metadata(object.ForIterator)
	_, _ = obj.Metadata(object.ForInformer)
	_, _ = obj.IntoAny(&corev1.ConfigMap{}, object.ForSelector)

	s := c.Stats()
	want := [object.Uses]uint64{object.ForGet: 2000, object.ForHandler: 1, object.ForIndexFunc: 1, object.ForIterator: 1, object.ForSelector: 1}
	for use, n := range want {
		if got := s.Uses[use]; got.Objects != n || (got.Time > 0) != (n > 0) {
			t.Errorf("%s: %+v, want %d", object.Use(use), got, n)
		}
	}
	if len(s.Callers) != 5 || s.Callers[0].Objects != 2000 || s.Callers[0].Use != object.ForGet {
		t.Fatalf("callers %+v", s.Callers)
	}
	for _, one := range s.Callers {
		if !strings.HasPrefix(one.Function, "vedette.dev/internal/codec.TestStats") || !strings.HasPrefix(one.Line, "stats_test.go:") {
			t.Errorf("caller %+v", one)
		}
	}
	if !s.Packed || s.PackedSize < 80 || s.PackedSize > 1000 || s.Since.IsZero() {
		t.Errorf("%+v", s)
	}
	if s := (*Codec)(nil).Stats(); s.Packed || s.Size != 0 {
		t.Errorf("of no codec: %+v", s)
	}
}

func rawOf(t *testing.T, obj any) *rest.Raw {
	t.Helper()
	data, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return &rest.Raw{Encoding: rest.JSON, Bytes: data}
}

func TestTheSizeOfWhatCame(t *testing.T) {
	c := New(Config{Example: &corev1.ConfigMap{}})
	for _, name := range []string{"a", "bbb"} {
		if _, err := c.Load(rawOf(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "1"}}), nil); err != nil {
			t.Fatal(err)
		}
	}
	short := rawOf(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "1"}})
	if s := c.Stats(); s.Packed || s.Size != int64(len(short.Bytes)+1) || s.Encoding != short.Encoding.String() {
		t.Errorf("%+v, and one has %d bytes", s, len(short.Bytes))
	}
}

// TestCallersAreBounded: more callers than there is room for are counted as one.
func TestCallersAreBounded(t *testing.T) {
	c, obj := atRest(t)
	u := &c.packing.uses
	u.callers = map[Caller]uint64{}
	for i := range maxCallers {
		u.callers[Caller{Function: "main.f", Line: strings.Repeat("x", i+1), Use: object.ForGet}] = 1
	}
	_, _ = obj.Copy(object.ForGet)
	_, _ = obj.Copy(object.ForList)
	s := c.Stats()
	if len(s.Callers) != maxCallers+2 {
		t.Errorf("%d callers", len(s.Callers))
	}
	others := 0
	for _, one := range s.Callers {
		if one.Function == "" {
			others++
		}
	}
	if others != 2 {
		t.Errorf("%d for the others of two uses", others)
	}
}

// BenchmarkUses is what it costs to count a decode, by itself and beside others.
func BenchmarkUses(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		var u uses
		for b.Loop() {
			t := u.begin(object.ForGet)
			t.end()
		}
	})
	b.Run("parallel", func(b *testing.B) {
		var u uses
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				t := u.begin(object.ForGet)
				t.end()
			}
		})
	})
}
