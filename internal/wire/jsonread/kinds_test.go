package jsonread

import (
	"encoding/json"
	oldrand "math/rand"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/randfill"

	"vedette.dev/internal/testsize"
	"vedette.dev/kubernetes/scheme"
)

func filler(seed int) *randfill.Filler {
	codecs := serializer.NewCodecFactory(scheme.Scheme)
	return fuzzer.FuzzerFor(metafuzzer.Funcs, oldrand.NewSource(int64(seed)), codecs).NilChance(0.5).NumElements(1, 2).MaxDepth(10)
}

// eachKind calls f with texts of every built-in kind.
func eachKind(t *testing.T, texts int, f func(kind string, data []byte)) {
	kinds := 0
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		if _, isObject := reflect.New(typ).Interface().(metav1.Object); !isObject || gvk.Version == runtime.APIVersionInternal {
			continue
		}
		if kinds++; kinds%testsize.Of(1, 5) != 0 {
			continue
		}
		fill := filler(kinds)
		for range texts {
			obj := reflect.New(typ).Interface()
			fill.Fill(obj)
			data, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(gvk, err)
			}
			f(gvk.String(), data)
		}
	}
	if kinds < 100 {
		t.Errorf("only %d kinds were tried", kinds)
	}
}

func TestEveryKind(t *testing.T) {
	shared := all()
	eachKind(t, 2, func(kind string, data []byte) {
		d := decoder{data: data}
		if _, ok := d.top(nil); !ok {
			t.Errorf("%s is left to util/json", kind)
		}
		if err := checkAll(data, shared); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	})
}

// TestBadTexts decodes texts that are wrong in some place.
func TestBadTexts(t *testing.T) {
	shared := all()
	r := rand.New(rand.NewPCG(1, 1))
	eachKind(t, 1, func(kind string, data []byte) {
		for range 4 {
			bad := slices.Clone(data)
			switch at := r.IntN(len(bad)); r.IntN(4) {
			case 0:
				bad[at] ^= 1 << r.IntN(8)
			case 1:
				bad = bad[:at]
			case 2: // something twice
				end := at + r.IntN(len(bad)-at)
				bad = slices.Insert(bad, at, data[at:end]...)
			case 3:
				bad[at] = `{}[]",:\ 0e.-`[r.IntN(13)]
			}
			if err := checkAll(bad, shared); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
		}
	})
}
