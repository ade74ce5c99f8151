package jsonread

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"vedette.dev/internal/wire/intern"
)

const pod = `{"metadata":{"name":"%[1]s","labels":{"app":"web","tier":"front"},"managedFields":[{"manager":"kubelet","fieldsV1":
	{"f:status":{"f:podIPs":{"k:{\"ip\":\"%[1]s\"}":{"f:ip":{}}},"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:status":{}}}}}}]},
	"spec":{"nodeName":"node-17","containers":[{"name":"main-%[1]s","env":[{"name":"A","value":"a value"},{"name":"B"}],"args":["-v","%[1]s"],"empty":{}}]}}`

// at follows names and numbers into an object.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step]
		case int:
			v = v.([]any)[step]
		}
	}
	return v
}

// same reports whether two values are one in memory.
func same(a, b any) bool {
	if s, ok := a.(string); ok {
		return unsafe.StringData(s) == unsafe.StringData(b.(string))
	}
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// roomy are shares with so much room that nothing pushes out anything else by chance.
func roomy(trees bool) *Shares {
	shares := NewShares(Sharing{Parts: trees})
	fill(&shares.words)
	for i := range shares.parts {
		fill(&shares.parts[i])
	}
	return shares
}

// fill makes a cache grow until it has all its places.
func fill[T any](s *intern.Cache[T]) {
	for range 2 * s.MaxSets {
		s.Put(s.At(0), new(T))
	}
}

// TestSharing has equal parts of two objects be one in memory, and parts that differ be two.
func TestSharing(t *testing.T) {
	for _, trees := range []bool{true, false} {
		shares := roomy(trees)
		read := func(name string) map[string]any {
			text := fmt.Appendf(nil, pod, name)
			if err := check(text, shares); err != nil {
				t.Fatal(err)
			}
			obj, err := Decode(text, shares)
			if err != nil {
				t.Fatal(err)
			}
			return obj
		}
		a, b := read("a"), read("b")
		for _, test := range []struct {
			path []any
			want bool
		}{
			{[]any{"metadata", "labels"}, trees},
			{[]any{"spec", "containers", 0, "env"}, trees},
			{[]any{"metadata", "managedFields", 0, "fieldsV1", "f:status", "f:conditions"}, true},
			{[]any{"spec", "containers", 0, "empty"}, false},
		} {
			if got := same(at(a, test.path...), at(b, test.path...)); got != test.want {
				t.Errorf("trees %v: %v is shared: %v", trees, test.path, got)
			}
		}
		for _, path := range [][]any{{"metadata", "labels", "app"}, {"spec", "nodeName"}, {"spec", "containers", 0, "args", 0}} {
			if !same(at(a, path...), at(b, path...)) {
				t.Errorf("trees %v: the string at %v is there twice", trees, path)
			}
		}
		for _, path := range [][]any{{"spec"}, {"spec", "containers"}, {"spec", "containers", 0, "args"}, {"metadata", "name"}} {
			if same(at(a, path...), at(b, path...)) {
				t.Errorf("trees %v: %v differs and is shared", trees, path)
			}
		}
		if first := shares.root.first.Load(); first == nil || first.name != "metadata" || first.next.Load().name != "spec" {
			t.Errorf("trees %v: it was not learned what comes first", trees)
		}
		fields := shares.root.member([]byte(`"metadata"`)).member([]byte(`"managedFields"`)).element.Load().member([]byte(`"fieldsV1"`))
		if fields.below.Load() != nil {
			t.Errorf("trees %v: managed fields have places", trees)
		}
		if env := at(a, "spec", "containers", 0, "env").([]any); len(env) != cap(env) {
			t.Errorf("trees %v: there is room behind a list of %d", trees, len(env))
		}
	}
}

// TestNothingIsShared changes all of an object but its managed fields, and no other may change with it.
func TestNothingIsShared(t *testing.T) {
	for i, shares := range []*Shares{nil, NewShares(Sharing{}), NewShares(Sharing{Mutable: true})} {
		text := strings.Replace(fmt.Sprintf(pod, "a"), `"spec":{`, `"spec":{"empty":{},"none":[],"none2":[],"list":[1,2],"list2":[1,2],`, 1)
		first, _ := Decode([]byte(text), shares)
		second, _ := Decode([]byte(text), shares)
		delete(at(first, "metadata").(map[string]any), "managedFields")
		corrupt(first)
		var want map[string]any
		if err := utiljson.Unmarshal([]byte(text), &want); err != nil || !reflect.DeepEqual(second, want) {
			t.Errorf("way %d: %v, got %v", i, err, second)
		}
	}
}

func corrupt(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, below := range v {
			corrupt(below)
			v[name] = "corrupted"
		}
		v["more"] = true
	case []any:
		for i := range v {
			corrupt(v[i])
			v[i] = "corrupted"
		}
		_ = append(v, "more")
	}
}

// TestHitRate stops looking up values where no other object has the same, and begins again when that changes.
func TestHitRate(t *testing.T) {
	shares := roomy(true)
	n := 0
	decode := func(name string) {
		text := fmt.Appendf(nil, `{"differs":{"v":%q},"same":{"v":"x"}}`, name)
		if err := check(text, shares); err != nil {
			t.Fatal(err)
		}
		n++
	}
	for range 1000 {
		decode(fmt.Sprint(n))
	}
	differs, equal := shares.root.member([]byte(`"differs"`)), shares.root.member([]byte(`"same"`))
	if differs.tree.ShouldLookUp(treeHits, false) || differs.member([]byte(`"v"`)).text.ShouldLookUp(stringHits, false) {
		t.Error("it looks for what differs")
	}
	if !equal.tree.ShouldLookUp(treeHits, false) {
		t.Error("it does not look for what is equal")
	}
	for range 64 * 64 {
		decode("one")
	}
	if !differs.tree.ShouldLookUp(treeHits, false) {
		t.Error("it does not look for what has become equal")
	}
}

// TestCut does not look for the end of what is large, or deep below.
func TestCut(t *testing.T) {
	for n, want := range map[int]bool{largestPart: true, largestPart + 1: false} {
		text := `["` + strings.Repeat("x", n-len(`[""]`)) + `"]`
		if got := cut([]byte(text+",")) != nil; got != want {
			t.Errorf("%d bytes: %v", n, got)
		}
	}
	shares := NewShares(Sharing{Parts: true})
	const levels = 2 * deepestLookup
	if err := check([]byte(strings.Repeat(`{"a":`, levels)+`1`+strings.Repeat(`}`, levels)), shares); err != nil {
		t.Fatal(err)
	}
	lookups := 0
	for p := range every(&shares.root) {
		lookups += p.tree.Lookups()
	}
	if lookups != deepestLookup {
		t.Errorf("%d look-ups, want %d", lookups, deepestLookup)
	}
}

// TestInputIsFreed has nothing keep the bytes of the text.
func TestInputIsFreed(t *testing.T) {
	shares := all()
	var keep []any
	for _, s := range shares {
		freed := make(chan bool)
		text := fmt.Appendf(make([]byte, 0, 64<<10), pod, "a")
		runtime.AddCleanup(&text[0], func(c chan bool) { close(c) }, freed)
		obj, err := Decode(text, s)
		if err != nil {
			t.Fatal(err)
		}
		keep = append(keep, obj)
		runtime.GC()
		select {
		case <-freed:
		case <-time.After(10 * time.Second):
			t.Fatal("the text is still in use")
		}
	}
	runtime.KeepAlive(keep)
	runtime.KeepAlive(shares)
}

// TestFewAllocations has an object with nothing new take memory for what is its own, and no more.
func TestFewAllocations(t *testing.T) {
	text := fmt.Appendf(nil, pod, "a")
	var want map[string]any
	theirs := testing.AllocsPerRun(100, func() {
		want = nil
		_ = utiljson.Unmarshal(text, &want)
	})
	for i, part := range []float64{2, 2, 10} {
		shares := []*Shares{nil, roomy(false), roomy(true)}[i]
		mine := testing.AllocsPerRun(100, func() { _, _ = Decode(text, shares) })
		if mine*part > theirs {
			t.Errorf("way %d: %v allocations, util/json has %v", i, mine, theirs)
		}
	}
}
