package protoread

import (
	"cmp"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// sortedKinds are the built-in kinds that have a protobuf form, in an order that is the same in every run, so that the number of
// a kind in the corpus means the same.
var sortedKinds = sync.OnceValue(func() []schema.GroupVersionKind {
	return slices.SortedFunc(maps.Keys(kinds()), func(a, b schema.GroupVersionKind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Kind, b.Kind))
	})
})

// kindUnderFuzz is what a fuzz target needs of a kind. Its shares live on, so that later inputs meet what earlier ones left.
type kindUnderFuzz struct {
	typ           reflect.Type
	plan          *Plan
	strings, tree *Shares
}

// chooser returns a function that returns a kind by its number, of which any will do.
func chooser(f *testing.F) func(number uint16) *kindUnderFuzz {
	f.Helper()
	all := kinds()
	var out []*kindUnderFuzz
	for _, gvk := range sortedKinds() {
		plan, err := Compile(reflect.New(all[gvk]).Interface())
		if err != nil {
			f.Fatal(gvk, err)
		}
		out = append(out, &kindUnderFuzz{all[gvk], plan, plan.NewShares(false), plan.NewShares(true)})
	}
	return func(number uint16) *kindUnderFuzz { return out[int(number)%len(out)] }
}

// seeds returns the bytes of n random objects of a kind.
func (k *kindUnderFuzz) seeds(f *testing.F, seed uint64, n int) (out [][]byte) {
	f.Helper()
	fill := filler(seed)
	for range n {
		obj := reflect.New(k.typ).Interface().(form)
		fill.Fill(obj)
		data, err := obj.Marshal()
		if err != nil {
			f.Fatal(k.typ, err)
		}
		out = append(out, data)
	}
	return out
}

// FuzzDecodeEveryKind compares what Decode makes of any bytes with what the generated code makes of them, for all built-in kinds.
func FuzzDecodeEveryKind(f *testing.F) {
	choose := chooser(f)
	for i := range sortedKinds() {
		for _, data := range choose(uint16(i)).seeds(f, uint64(i), 1) {
			f.Add(uint16(i), data)
		}
	}
	f.Fuzz(func(t *testing.T, number uint16, data []byte) {
		k := choose(number)
		for _, shares := range []*Shares{nil, k.strings, k.tree} {
			if err := check(k.plan, shares, k.typ, data); err != nil {
				t.Errorf("%v: %v", k.typ, err)
			}
		}
	})
}

// FuzzDecodeNext compares what DecodeNext makes of two states, the second with the trace of the first, and of the first again, with what
// the generated code makes of each. States that were decoded before stay as they were.
func FuzzDecodeNext(f *testing.F) {
	choose := chooser(f)
	for i := range sortedKinds() {
		data := choose(uint16(i)).seeds(f, uint64(i), 2)
		f.Add(uint16(i), data[0], data[1])
		f.Add(uint16(i), data[0], slices.Concat(data[0], data[1])) // parts in several pieces
	}
	f.Fuzz(func(t *testing.T, number uint16, first, second []byte) {
		k := choose(number)
		for _, shares := range []*Shares{k.plan.NewShares(true), k.tree} {
			var trace Trace
			var got, want []any
			for _, data := range [][]byte{first, second, second, first} {
				plain := reflect.New(k.typ).Interface().(unmarshaler)
				wantErr := plain.Unmarshal(data)
				obj, err := k.plan.DecodeNext(slices.Clone(data), shares, &trace)
				if (err == nil) != (wantErr == nil) {
					t.Fatalf("%v: error %v, want %v", k.typ, err, wantErr)
				}
				if err == nil {
					got, want = append(got, obj), append(want, plain)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v: got  %+v\nwant %+v", k.typ, got, want)
			}
			runtime.KeepAlive(got)
		}
	})
}
