package hashspace

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

func TestSelectorText(t *testing.T) {
	half := uint64(1) << 63
	got, err := Selector(uidPath, Set{{0, half}})
	if want := "shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')"; err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	got, err = Selector(namespacePath, Set{{1, 2}, {half, 0}})
	want := "shardRange(object.metadata.namespace,'0x0000000000000001','0x0000000000000002') || " +
		"shardRange(object.metadata.namespace,'0x8000000000000000','0x10000000000000000')"
	if err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if got, err = Selector(uidPath, Set{Everything()}); got != "" || err != nil {
		t.Errorf("everything is %q, %v", got, err)
	}
}

func TestSelectorRefuses(t *testing.T) {
	var many Set
	for i := range uint64(17) {
		many = append(many, Range{i * 10, i*10 + 1})
	}
	if _, err := Selector(uidPath, many[:MaxRanges]); err != nil {
		t.Error(err)
	}
	_, err := Selector(uidPath, many)
	wantError(t, err, "17", "16")
	// The empty text would select everything.
	_, err = Selector(uidPath, nil)
	wantError(t, err, "empty")
	_, err = Selector("object.metadata.name", Set{{0, 1}})
	wantError(t, err, "object.metadata.name")
	_, err = Selector(uidPath, Set{{5, 5}})
	wantError(t, err, "is empty")
}

func TestParseSelector(t *testing.T) {
	const low, high = "0x0000000000000000", "0x8000000000000000"
	for text, want := range map[string]Set{
		"shardRange(object.metadata.uid, '" + low + "', '" + high + "')":                               {{0, 1 << 63}},
		" ( shardRange ( object.metadata.uid\t,\"" + low + "\",\n'" + high + "' ) ) ":                  {{0, 1 << 63}},
		"shardRange(object.metadata.uid,'" + low + "','0x10000000000000000')":                          {Everything()},
		"((" + uid("1", "3") + "||" + uid("2", "5") + ") || " + uid("7", "8") + ")":                    {{1, 5}, {7, 8}},
		uid("7", "8") + " || " + uid("1", "2"):                                                         {{1, 2}, {7, 8}},
		"(" + uid("1", "2") + ") || (" + uid("2", "3") + ")":                                           {{1, 3}},
		strings.Repeat("(", 100_000) + uid("1", "2") + strings.Repeat(")", 100_000):                    {{1, 2}},
		strings.TrimSuffix(strings.Repeat("("+uid("1", "2")+")||", 1000), "||") + "||" + uid("2", "4"): {{1, 4}},
	} {
		path, got, err := ParseSelector(text)
		if err != nil || path != uidPath || !got.Equal(want) {
			t.Errorf("%.200s: %s %v, %v; want %v", text, path, got, err, want)
		}
	}
	if path, s, err := ParseSelector(""); path != "" || !s.IsEverything() || err != nil {
		t.Errorf("the empty text: %q %v, %v", path, s, err)
	}
}

// uid is a clause with one-digit bounds.
func uid(start, end string) string {
	zeros := "0x" + strings.Repeat("0", 15)
	return "shardRange(object.metadata.uid,'" + zeros + start + "','" + zeros + end + "')"
}

func TestParseSelectorRefuses(t *testing.T) {
	for _, text := range []string{
		" ", "()", "shardRange", "shardRange()", uid("1", "2") + "||", "||" + uid("1", "2"), uid("1", "2") + uid("2", "3"),
		"(" + uid("1", "2"), uid("1", "2") + ")", uid("1", "2") + " && " + uid("2", "3"), "!" + uid("1", "2"),
		uid("1", "1"), uid("2", "1"), uid("1", "g"), uid("1", "A"), uid("1", ""), uid("1", "22"),
		"shardRange(object.metadata.name,'0x0000000000000000','0x8000000000000000')",
		"shardRange(object.metadata.uidx,'0x0000000000000000','0x8000000000000000')",
		"shardRange(object.metadata.uid,'0x0','0x1')",
		"shardRange(object.metadata.uid,'0x10000000000000000','0x10000000000000000')",
		"shardRange(object.metadata.uid,'0x0000000000000000\",'0x8000000000000000')",
		"shardRange(object.metadata.uid,0x0000000000000000,0x8000000000000000)",
		uid("1", "2") + "||" + strings.ReplaceAll(uid("2", "3"), "uid", "namespace"),
	} {
		if _, s, err := ParseSelector(text); err == nil {
			t.Errorf("%q is %v", text, s)
		} else if len(err.Error()) > 500 {
			t.Errorf("%q: the error is %d bytes long", text, len(err.Error()))
		}
	}
}

// What Selector writes selects what the set contains, by the code that the server uses, and reads back as the same set.
func TestSelectorSelectsTheSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranges := Equal(rapid.IntRange(2, 40).Draw(t, "n"))
		keep := rapid.SliceOfNDistinct(rapid.IntRange(0, len(ranges)-1), 1, min(len(ranges), MaxRanges), rapid.ID).Draw(t, "keep")
		var some []Range
		for _, i := range keep {
			some = append(some, ranges[i])
		}
		s := mustSet(t, some...)
		path := rapid.SampledFrom([]string{uidPath, namespacePath}).Draw(t, "path")
		text, err := Selector(path, s)
		if err != nil {
			t.Fatal(err)
		}
		gotPath, got, err := ParseSelector(text)
		if err != nil || !got.Equal(s) || text != "" && gotPath != path {
			t.Fatalf("%s is %s %v, %v; want %v", text, gotPath, got, err, s)
		}
		server := theirs(text)
		// shardInfo has the server's own spelling.
		if _, again, err := ParseSelector(server.String()); err != nil || !again.Equal(s) {
			t.Fatalf("%s is %v, %v; want %v", server, again, err, s)
		}
		value := rapid.StringMatching(`[a-z0-9-]{0,36}`).Draw(t, "value")
		obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: types.UID(value), Namespace: value}}
		if selects, err := server.Matches(obj); err != nil || selects != s.Contains(FNV(value)) {
			t.Fatalf("%s selects %q: %v, %v", text, value, selects, err)
		}
	})
}

// theirs makes apimachinery's selector of a text that is known to be right.
func theirs(text string) sharding.Selector {
	var requirements []sharding.ShardRangeRequirement
	for clause := range strings.SplitSeq(text, "||") {
		parts := strings.FieldsFunc(clause, func(r rune) bool { return strings.ContainsRune("(),' ", r) })
		if len(parts) == 4 {
			requirements = append(requirements, sharding.ShardRangeRequirement{Key: parts[1], Start: parts[2], End: parts[3]})
		}
	}
	return sharding.NewSelector(requirements...)
}

func FuzzParseSelector(f *testing.F) {
	f.Add("")
	f.Add("(" + uid("1", "2") + "||" + uid("1", "3") + ")")
	f.Add("shardRange(object.metadata.namespace, '0x0000000000000000', '0x10000000000000000')")
	f.Add("shardRange(object.metadata.uid,\"0x000000000000000")
	f.Fuzz(func(t *testing.T, text string) {
		path, s, err := ParseSelector(text)
		if err != nil {
			if s != nil || path != "" {
				t.Fatalf("an error, and %s %v", path, s)
			}
			return
		}
		verify(t, s)
		if s.Empty() {
			t.Fatalf("%q selects nothing", text)
		}
		if len(s) > MaxRanges || s.IsEverything() {
			return
		}
		canonical, err := Selector(path, s)
		if err != nil {
			t.Fatal(err)
		}
		if path2, s2, err := ParseSelector(canonical); err != nil || path2 != path || !s2.Equal(s) {
			t.Fatalf("%q is %s %v, but its canonical form is %s %v, %v", text, path, s, path2, s2, err)
		}
	})
}

func ExampleSelector() {
	plan, _ := Rebalance(nil, map[string]float64{"a": 1, "b": 1}, nil, 0)
	text, _ := Selector("object.metadata.uid", plan.Owners["a"])
	fmt.Println(text)
	// Output: shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')
}
