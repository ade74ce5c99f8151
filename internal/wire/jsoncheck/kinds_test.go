package jsoncheck

import (
	"bytes"
	"encoding/json"
	"maps"
	oldrand "math/rand"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/randfill"

	"vedette.dev/internal/testsize"
	"vedette.dev/kubernetes/scheme"
)

// builtIn are all built-in types, each once.
func builtIn() []reflect.Type {
	types := map[string]reflect.Type{}
	for gvk, t := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal {
			types[t.PkgPath()+"."+t.Name()] = t
		}
	}
	var out []reflect.Type
	for _, name := range slices.Sorted(maps.Keys(types)) {
		out = append(out, types[name])
	}
	return out
}

func filler(seed int) *randfill.Filler {
	return fuzzer.FuzzerFor(metafuzzer.Funcs, oldrand.NewSource(int64(seed)), scheme.Codecs).NilChance(0.3).NumElements(0, 2).MaxDepth(12)
}

// eachKind calls f with texts of every built-in kind, and the plan of the kind.
func eachKind(t *testing.T, texts int, f func(typ reflect.Type, plan *Plan, data []byte)) {
	kinds := 0
	for seed, typ := range builtIn() {
		if seed%testsize.Of(1, 5) != 0 {
			continue
		}
		plan, err := Compile(reflect.New(typ).Interface())
		if err != nil {
			t.Fatal(err)
		}
		kinds++
		fill := filler(seed)
		for range texts {
			obj := reflect.New(typ).Interface()
			fill.Fill(obj)
			data, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(typ, err)
			}
			f(typ, plan, data)
		}
	}
	if kinds < testsize.Of(100, 20) {
		t.Errorf("only %d kinds were tried", kinds)
	}
}

// What a server sends of every built-in kind is known to be good, in whatever order its fields stand.
func TestEveryKind(t *testing.T) {
	eachKind(t, 2, func(typ reflect.Type, plan *Plan, data []byte) {
		var content map[string]any
		if err := utiljson.Unmarshal(data, &content); err != nil {
			t.Fatal(typ, err)
		}
		sorted, err := json.MarshalIndent(content, "", "  ")
		if err != nil {
			t.Fatal(typ, err)
		}
		for _, text := range [][]byte{data, sorted} {
			if err := decodes(reflect.New(typ).Interface(), text); err != nil {
				t.Errorf("%s cannot be decoded: %v", typ, err)
			}
			if !plan.Check(text) {
				t.Errorf("%s is not known to be good: %s", typ, text)
			}
			if !Valid(text) {
				t.Errorf("%s is not valid: %s", typ, text)
			}
		}
	})
}

// Whatever is changed in a text: what is said to be good can be decoded.
func TestEveryKindWithMistakes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	good, all := 0, 0
	eachKind(t, 1, func(typ reflect.Type, plan *Plan, data []byte) {
		for range 15 {
			text := mistake(r, data)
			if r.IntN(3) == 0 {
				text = mistake(r, text)
			}
			all++
			if plan.Check(text) {
				good++
				if err := decodes(reflect.New(typ).Interface(), text); err != nil {
					t.Errorf("%s: said yes, but %v: %s", typ, err, text)
				}
			}
			if Valid(text) {
				if err := decodesPlainly(text); err != nil {
					t.Errorf("%s: valid, but %v: %s", typ, err, text)
				}
			}
		}
	})
	if good < all/10 || good > all*9/10 {
		t.Errorf("%d of %d texts were good: that is no test", good, all)
	}
}

// The same for fields of all kinds that there are.
func TestOddFieldsWithMistakes(t *testing.T) {
	const rounds = 20_000
	plan := oddPlan(t)
	r := rand.New(rand.NewPCG(2, 2))
	good := 0
	for range rounds {
		var members []string
		for range 1 + r.IntN(5) {
			c := fieldCases[r.IntN(len(fieldCases))]
			if len(c.yes) > 0 {
				members = append(members, `"`+c.field+`":`+c.yes[r.IntN(len(c.yes))])
			}
		}
		text := mistake(r, []byte("{"+strings.Join(members, ",")+"}"))
		if plan.Check(text) {
			good++
			if err := decodes(&odd{}, text); err != nil {
				t.Errorf("said yes, but %v: %s", err, text)
			}
		}
	}
	if good < rounds/10 || good > rounds*9/10 {
		t.Errorf("%d of %d texts were good: that is no test", good, rounds)
	}
}

// decodesPlainly tells what is wrong with what is said to be valid.
func decodesPlainly(text []byte) error {
	var content map[string]any
	if err := utiljson.Unmarshal(text, &content); err != nil {
		return err
	}
	return json.Unmarshal(text, new(json.RawMessage))
}

// tokens cuts a text into its punctuation, its strings, and its other words.
func tokens(data []byte) (out [][]byte) {
	for i := 0; i < len(data); {
		end := i + 1
		switch {
		case data[i] == '"':
			if end = text(data, i+1); end < 0 {
				end = len(data)
			}
		case bytes.IndexByte([]byte("{}[],: \n"), data[i]) < 0:
			for end < len(data) && bytes.IndexByte([]byte("{}[],: \n\""), data[end]) < 0 {
				end++
			}
		}
		out = append(out, data[i:end])
		i = end
	}
	return out
}

var otherTokens = []string{
	`""`, `"x"`, `"1"`, `null`, `true`, `false`, `{}`, `[]`, `0`, `-1`, `1.5`, `1e3`, `300`, `70000`, `2147483648`, `9223372036854775807`,
	`9223372036854775808`, `1e400`, `"2026-01-02T03:04:05Z"`, `"2026-02-30T03:04:05Z"`, `"2026-01-02T03:04:05.123456Z"`, `"1Gi"`, `"AA=="`,
	`"A"`, `"1h"`, `{"a":"b"}`, `{"a":1}`, `["a"]`, `[1]`, `[{}]`, `[null]`, `{"a":null}`, `"\u0041"`, `"\x"`, `{`, `}`, `[`, `]`, `,`, `:`, ` `, "\n",
}

// mistake changes something in a text.
func mistake(r *rand.Rand, data []byte) []byte {
	if len(data) == 0 {
		return data
	}
	out := slices.Clone(data)
	switch at := r.IntN(len(out)); r.IntN(10) {
	case 0:
		out[at] ^= 1 << r.IntN(8)
		return out
	case 1:
		return slices.Delete(out, at, at+1+r.IntN(min(8, len(out)-at)))
	case 2: // something twice
		end := at + r.IntN(len(out)-at)
		return slices.Insert(out, at, data[at:end]...)
	case 3:
		return out[:at]
	case 4:
		out[at] = "{}[]\",:\\ 0e.-\n\x00\xff"[r.IntN(16)]
		return out
	}
	all := tokens(data)
	values := slices.DeleteFunc(rangeOf(len(all)), func(i int) bool { return len(all[i]) == 1 && bytes.IndexByte([]byte("{}[],: \n"), all[i][0]) >= 0 })
	if len(values) == 0 {
		return out
	}
	i, j := values[r.IntN(len(values))], values[r.IntN(len(values))]
	switch r.IntN(4) {
	case 0: // another in its place
		all[i] = []byte(otherTokens[r.IntN(len(otherTokens))])
	case 1: // two change places
		all[i], all[j] = all[j], all[i]
	case 2: // one also stands for another
		all[i] = all[j]
	case 3: // a number becomes a string, and a string a number
		if all[i][0] == '"' {
			all[i] = bytes.Trim(all[i], `"`)
		} else {
			all[i] = []byte(`"` + string(all[i]) + `"`)
		}
	}
	return bytes.Join(all, nil)
}

func rangeOf(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
