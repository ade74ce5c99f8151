package jsonread

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"

	"vedette.dev/internal/testsize"
)

// check compares what comes out with what util/json makes of the same text.
func check(data []byte, shares *Shares) error {
	var want map[string]any
	wantErr := utiljson.Unmarshal(data, &want)
	mine := slices.Clone(data)
	got, err := Decode(mine, shares)
	clear(mine) // nothing of it may be in use
	switch {
	case fmt.Sprint(err) != fmt.Sprint(wantErr) || reflect.TypeOf(err) != reflect.TypeOf(wantErr):
		return fmt.Errorf("error %v, want %v, for %q", err, wantErr, data)
	case err == nil && !reflect.DeepEqual(got, want):
		return fmt.Errorf("got  %#v\nwant %#v\nfor  %q", got, want, data)
	case err != nil && got != nil:
		return fmt.Errorf("got %v with an error", got)
	}
	return nil
}

// all are the ways to decode.
func all() []*Shares {
	return []*Shares{nil, NewShares(Sharing{Mutable: true}), NewShares(Sharing{}), NewShares(Sharing{Parts: true})}
}

func checkAll(data []byte, all []*Shares) error {
	for i, shares := range all {
		for range 2 { // the second time from what is known
			if err := check(data, shares); err != nil {
				return fmt.Errorf("way %d: %w", i, err)
			}
		}
	}
	return nil
}

func TestAgainstUtilJSON(t *testing.T) {
	shared := all()
	good := 0
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(anyText().Draw(t, "text"))
		if json.Valid(text) {
			good++
		}
		if err := checkAll(text, shared); err != nil {
			t.Fatal(err)
		}
	})
	if good < testsize.Of(10, 0) {
		t.Errorf("only %d texts were good", good)
	}
}

// TestRead tells which texts are read here, and are not left to util/json.
func TestRead(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":[`, n/2) + strings.Repeat(`]}`, n/2) }
	wide := `{"a":[` + strings.Repeat(`{},[],{"b":[1]},`, 2*deepest) + `0]}`
	for text, want := range map[string]bool{
		`{}`: true, ` {"a" : [ ] , "b":{ }} `: true, `{"a":1,"a":{"b":2},"a":{"c":3}}`: true,
		`{"a":[-0,1.0,1e3,9223372036854775807,9223372036854775808]}`: true,
		`{"k:{\"name\":\"web\"}":{},"\u003c\ud83d\ude00\ud83d":"é"}`: true,
		wide: true, deep(deepest): true, deep(deepest + 2): false, deep(10000): false, deep(10002): false,
		`null`: false, `[]`: false, ``: false, `"a"`: false, `{} x`: false, "{}\x00": false, "{}\x00 ": false, "{\"a\":\"\xff\"}": false,
		`{"a":1,}`: false, `{"a":[1,]}`: false, `{,}`: false, `{"a":[,]}`: false, `{"a"}`: false, `{"a":01}`: false, `{"a":1e999}`: false,
		`{"a`: false, `{"a\`: false, `{"`: false, `{"a":"\ud8`: false, `{"a":"\u`: false, `{`: false, `{"a":`: false, `{"a":tru`: false,
		`{"a":-`: false, `{"a":[`: false, `{"a":[1`: false, `{"a":{"b":1]}`: false, `{"a":[{]}`: false,
	} {
		for _, shares := range all() {
			d := decoder{data: []byte(text), memory: memory{shares: shares}, sampled: true}
			if _, ok := d.top(nil); ok != want {
				t.Errorf("%.40s: read %v, want %v", text, ok, want)
			}
			if err := check([]byte(text), shares); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestManyNames has more names than there may be places.
func TestManyNames(t *testing.T) {
	shared := all()
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 100 {
		object := map[string]any{"fieldsV1": map[string]any{"f:a": map[string]any{fmt.Sprint("f:", i): map[string]any{"f:b": map[string]any{}}}}}
		for range 40 {
			object[fmt.Sprint("name", r.IntN(50))] = map[string]any{
				fmt.Sprint("a", r.IntN(50)): map[string]any{fmt.Sprint(r.IntN(80)): []any{"x", map[string]any{"b": 1}}},
			}
			object[fmt.Sprint("more", r.IntN(300))] = []any{map[string]any{fmt.Sprint("b", i): "x"}}
		}
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkAll(text, shared); err != nil {
			t.Fatal(err)
		}
	}
	for _, shares := range shared[1:] {
		n := 0
		for range every(&shares.root) {
			n++
		}
		if n > mostPlaces+1 || !shares.trees && n < mostPlaces { // the root is not counted
			t.Errorf("%d places", n)
		}
		if n := len(*shares.root.below.Load()); n != mostBelow {
			t.Errorf("%d places below the root", n)
		}
		if shares.root.rest.Load() == nil {
			t.Error("the root has no place for other names")
		}
	}
}

// every goes through the places below one.
func every(p *place) func(yield func(*place) bool) {
	return func(yield func(*place) bool) {
		if !yield(p) {
			return
		}
		more := []*place{p.rest.Load(), p.element.Load()}
		if below := p.below.Load(); below != nil {
			for _, at := range *below {
				more = append(more, at)
			}
		}
		for _, at := range more {
			if at != nil {
				every(at)(yield)
			}
		}
	}
}

// TestLong has strings, names, parts and levels around the lengths from which on they are not looked for.
func TestLong(t *testing.T) {
	shared := all()
	for i := range 30 {
		word := func(n int) string { return strings.Repeat("z", n-15+i) }
		nested := strings.Repeat(`{"a":[`, deepestLookup/2-8+i/2) + `"x"` + strings.Repeat(`]}`, deepestLookup/2-8+i/2)
		text := fmt.Sprintf(`{"s":[%q,%q,%q],%q:1,%q:{"v":"w"},"parts":[[%q],[%q]],"nested":%s}`, word(longestText), word(longestString),
			word(mostBytes), word(longestName), word(longestString+1), word(smallPart), word(largestPart), nested)
		if err := checkAll([]byte(text), shared); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBounds puts more into the intern caches than there is room for.
func TestBounds(t *testing.T) {
	shares := NewShares(Sharing{Parts: true})
	large := strings.Repeat(" ", smallPart)
	for i := range 200_000 {
		text := strconv.AppendInt(nil, int64(i), 10)
		if known, _ := shares.string(text); *known != string(text) {
			t.Fatalf("got %q for %q", *known, text)
		}
		if i%8 == 0 {
			text = append(text, large...)
		}
		if known, slot := shares.find(text); known == nil {
			slot.keep(i)
		} else {
			t.Fatalf("got %v for %q", known, text)
		}
	}
	for got, want := range map[int]int{
		shares.words.Size():    mostStrings,
		shares.parts[0].Size(): mostSmall,
		shares.parts[1].Size(): mostLarge,
	} {
		if got != want {
			t.Errorf("%d slots, want %d", got, want)
		}
	}
}

func TestConcurrent(t *testing.T) {
	shared := all()
	var texts [][]byte
	for i := range 12 {
		texts = append(texts, fmt.Appendf(nil, `{"metadata":{"name":"web-%d","labels":{"app":"web","n":"%d"}},
			"spec":{"list":[{"a":1,"b%d":[1,2,{"c":"x"}]},{"a":%d}],"same":{"x":["y","z"]}},"status":{"m":{"k%d":{"v":"w"}}}}`, i, i%3, i%4, i, i))
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 60 {
				if err := checkAll(texts[(i*5+j)%len(texts)], shared); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{}`, `null`, ` {"a" : [ 1 , -0, 1.5e3, 9223372036854775808 ] }`, `{"a":{"b":"\u003c\ud83d\ude00\"\\"},"a":{"c":null}}`,
		`{"metadata":{"managedFields":[{"fieldsV1":{"f:a":{".":{},"k:{\"name\":\"x\"}":{"f:b":{}}}}}]}}`, "{\"\xff\":1}", `{"a":[{},[],{"a":[]}]`,
		`{"long enough to be looked at in words of eight bytes":"é and more than that"}`,
	} {
		f.Add([]byte(text))
	}
	shared := all()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := checkAll(data, shared); err != nil {
			t.Error(err)
		}
	})
}
