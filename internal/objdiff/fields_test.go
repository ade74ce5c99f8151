package objdiff

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func fields(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFields(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{`{"a":1}`, `{"a":1}`, ""},
		{`{"status":{"phase":"A"}}`, `{"status":{"phase":"B"}}`, "status.phase"},
		{`{"status":{}}`, `{"status":{"phase":"B"}}`, "status.phase"},
		{`{"status":{"phase":"A"}}`, `{"status":{}}`, "status.phase"},
		{`{"status":{"phase":"A"}}`, `{}`, "status"},
		{`{"metadata":{"resourceVersion":"1","generation":1,"managedFields":[1]}}`, `{"metadata":{"resourceVersion":"2","managedFields":[2]}}`, ""},
		{`{"metadata":{"labels":{"app":"a"}}}`, `{"metadata":{"labels":{"app":"b","example.com/x":"y"}}}`, "metadata.labels[app] metadata.labels[example.com/x]"},
		{`{"data":{"a.b":"1"}}`, `{"data":{"a.b":"2"}}`, "data[a.b]"},
		{`{"c":[{"type":"Ready","status":"T"},{"type":"Other"}]}`, `{"c":[{"type":"Other"},{"type":"Ready","status":"F"}]}`, "c[Ready].status"},
		{`{"c":[]}`, `{"c":[{"type":"Ready"}]}`, "c[Ready]"},
		{`{"c":[{"type":"Ready"}]}`, `{"c":[]}`, "c[Ready]"},
		{`{"s":[{"name":"a","image":"1"}]}`, `{"s":[{"name":"a","image":"2"}]}`, "s[].image"},
		{`{"s":[{"name":"a"}]}`, `{"s":[{"name":"b"}]}`, "s[]"},
		{`{"l":[1,2]}`, `{"l":[1,3]}`, "l[]"},
		{`{"l":[1,2]}`, `{"l":[1]}`, "l"},
		{`{"l":[1]}`, `{"l":{"a":1}}`, "l"},
		{`{"l":[{"name":"a"},{"name":"a","x":1}]}`, `{"l":[{"name":"a"},{"name":"a","x":2}]}`, "l[].x"},
	} {
		if got := strings.Join(Fields(fields(t, test.old), fields(t, test.new)), " "); got != test.want {
			t.Errorf("%s and %s: %q, want %q", test.old, test.new, got, test.want)
		}
	}
}

// What differs has a field, what does not has none, and neither does who is asked first matter.
func TestFieldsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawFields(t, 3), drawFields(t, 3)
		if got := Fields(a, a); len(got) > 0 {
			t.Fatalf("%v differs from itself in %v", a, got)
		}
		there, back := Fields(a, b), Fields(b, a)
		if !slices.Equal(there, back) {
			t.Fatalf("%v and %v differ in %v, and the other way round in %v", a, b, there, back)
		}
		if same := reflect.DeepEqual(normal(a), normal(b)); same != (len(there) == 0) {
			t.Fatalf("%v and %v differ in %v", a, b, there)
		}
		if len(there) > maxFields || !slices.IsSorted(there) {
			t.Fatalf("%d fields: %v", len(there), there)
		}
	})
}

func drawFields(t *rapid.T, depth int) map[string]any {
	m := make(map[string]any)
	for range rapid.IntRange(0, 3).Draw(t, "n") {
		name := rapid.SampledFrom([]string{"a", "b", "labels", "type", "name", "c.d"}).Draw(t, "name")
		switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
		case name == "type" || name == "name" || kind < 2 || depth == 0:
			m[name] = rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "value")
		case kind == 2:
			m[name] = drawFields(t, depth-1)
		default:
			items := []any{}
			for range rapid.IntRange(0, 3).Draw(t, "items") {
				items = append(items, drawFields(t, depth-1))
			}
			m[name] = items
		}
	}
	return m
}

// normal puts lists whose items have names into the order of these, which does not count.
func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, value := range v {
			m[name] = normal(value)
		}
		return m
	case []any:
		if items, key := keyed(v); key != "" {
			m := map[string]any{"\x00key": key}
			for name, item := range items {
				m[name] = normal(item)
			}
			return m
		}
		list := make([]any, len(v))
		for i := range v {
			list[i] = normal(v[i])
		}
		return list
	}
	return v
}

func TestBrief(t *testing.T) {
	for _, test := range []struct {
		in   string
		most int
		want string
	}{
		{"a.b a.c", 2, "a.b a.c"},
		{"a.b a.c", 1, "a"},
		{"s.c[Ready].m s.c[Ready].n s.c[Other].m s.d[].e", 3, "s.c[Other] s.c[Ready] s.d[]"},
		{"metadata.labels[a.b/c] metadata.labels[d] x", 2, "metadata.labels x"},
		{"a b c", 1, "a b c"},
		{"a[].b[].c a[].b[].d", 1, "a[].b[]"},
	} {
		if got := strings.Join(Brief(strings.Fields(test.in), test.most), " "); got != test.want {
			t.Errorf("%s: %q, want %q", test.in, got, test.want)
		}
	}
}

type shape struct {
	Name   string
	Labels map[string]string
	List   []int
	Inner  *shape
}

func TestValues(t *testing.T) {
	before := &shape{Name: "a", Labels: map[string]string{"k": "v"}, List: []int{1, 2}, Inner: &shape{Name: "b"}}
	for _, test := range []struct {
		after *shape
		want  string
	}{
		{&shape{Name: "a", Labels: map[string]string{"k": "v"}, List: []int{1, 2}, Inner: &shape{Name: "b"}}, ""},
		{&shape{Name: "x", Labels: map[string]string{"k": "v"}, List: []int{1, 2}, Inner: &shape{Name: "b"}}, `Name: "a" became "x"`},
		{&shape{Name: "a", Labels: map[string]string{"k": "w"}, List: []int{1, 2}, Inner: &shape{Name: "c"}}, `Labels["k"]: "v" became "w"; Inner.Name: "b" became "c"`},
		{&shape{Name: "a", Labels: map[string]string{}, List: []int{1}, Inner: &shape{Name: "b"}}, `Labels["k"]: "v" was removed; List[1]: 2 was removed`},
	} {
		if got := strings.Join(Values(before, test.after), "; "); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}
