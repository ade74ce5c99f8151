package change

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

func entryOf(manager string, second int64, owned string) metav1.ManagedFieldsEntry {
	at := metav1.Unix(second, 0)
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: "Update", Time: &at, FieldsV1: metav1.NewFieldsV1(owned)}
}

func TestManager(t *testing.T) {
	const labels, status = `{"f:metadata":{"f:labels":{"f:app":{}}}}`, `{"f:status":{"f:conditions":{"k:{}":{}}}}`
	type entries = []metav1.ManagedFieldsEntry
	kubectl, kubelet := entryOf("kubectl", 1, labels), entryOf("kubelet", 2, status)
	for name, test := range map[string]struct {
		old, new entries
		changed  []string
		want     string
	}{
		"nobody":             {nil, nil, []string{"a"}, Unknown},
		"new":                {nil, entries{kubectl}, nil, "kubectl"},
		"the one that wrote": {entries{kubectl, kubelet}, entries{entryOf("kubectl", 3, labels), kubelet}, nil, "kubectl"},
		"other fields":       {entries{kubectl}, entries{entryOf("kubectl", 1, status)}, nil, "kubectl"},
		"the last of two":    {nil, entries{kubelet, kubectl}, nil, "kubelet"},
		"within a second":    {entries{kubectl, kubelet}, entries{kubectl, kubelet}, []string{"status.conditions[Ready].status"}, "kubelet"},
		"by ownership":       {entries{kubectl, kubelet}, entries{kubectl, kubelet}, []string{"metadata.labels[app]"}, "kubectl"},
		"not by a stranger":  {entries{kubectl, kubelet}, entries{kubectl, kubelet}, []string{"metadata.labels[tier]"}, Unknown},
		"no name":            {nil, entries{entryOf("", 1, labels)}, nil, Unknown},
		"no time":            {nil, entries{{Manager: "old"}}, nil, "old"},
		"garbage":            {entries{entryOf("x", 1, "{")}, entries{entryOf("x", 1, "{")}, []string{"a"}, Unknown},
	} {
		if got := Manager(test.old, test.new, test.changed); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

func pod(name, phase, manager string, second int64) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{"kind": "Pod", "status": map[string]any{"phase": phase}}}
	obj.SetName(name)
	obj.SetNamespace("default")
	obj.SetManagedFields([]metav1.ManagedFieldsEntry{entryOf(manager, second, "{}")})
	return obj
}

func TestMeter(t *testing.T) {
	m := NewMeter()
	m.See("pods", Added, nil, pod("a", "Pending", "kubectl", 1))
	m.See("pods", Added, nil, pod("b", "Pending", "kubectl", 1))
	m.Begin()
	m.See("pods", Updated, pod("a", "Pending", "kubectl", 1), pod("a", "Running", "kubelet", 2))
	m.See("pods", Updated, pod("a", "Running", "kubelet", 2), pod("a", "Running", "kubelet", 3))
	m.See("pods", Deleted, nil, pod("b", "Pending", "kubectl", 1))
	m.See("jobs.batch", Added, nil, pod("c", "", "cron", 1))
	if m.Changes() != 4 {
		t.Errorf("%d changes", m.Changes())
	}
	m.End()
	m.See("pods", Updated, pod("a", "Running", "kubelet", 3), pod("a", "Failed", "kubelet", 4))

	r := m.Report(2*time.Second, 10)
	if r.Total.Changes != 4 || r.Total.ChangesASecond != 2 || r.Total.Added != 1 || r.Total.Updated != 2 || r.Total.Deleted != 1 || r.Total.Bytes == 0 {
		t.Errorf("the total is %+v", r.Total)
	}
	var lines []string
	for _, k := range r.Kinds {
		lines = append(lines, fmt.Sprint(k.Kind, " ", k.Objects, " ", k.Changes))
	}
	for _, w := range r.Managers {
		lines = append(lines, fmt.Sprint(w.Manager, " ", w.Changes, " ", w.Kinds))
	}
	for _, f := range r.Fields {
		lines = append(lines, fmt.Sprint(f.Kind, " ", f.Field, " ", f.Changes))
	}
	for _, o := range r.Objects {
		lines = append(lines, fmt.Sprint(o.Kind, " ", o.Key, " ", o.Changes, " ", o.Manager, " ", o.Gone))
	}
	for _, b := range r.Biggest {
		lines = append(lines, fmt.Sprint(b.Kind, " ", b.Key))
	}
	want := []string{
		"pods 1 3", "jobs.batch 1 1",
		"kubelet 2 [pods]", "cron 1 [jobs.batch]",
		"pods " + Nothing + " 1", "pods status.phase 1",
		"pods default/a 2 kubelet false", "jobs.batch default/c 1 cron false", "pods default/b 1  true",
		"pods default/a", "jobs.batch default/c",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if top := m.Report(time.Second, 1); len(top.Objects) != 1 || len(top.Kinds) != 1 || len(top.Namespaces) != 1 {
		t.Errorf("more than one row: %+v", top)
	}
	empty, err := json.Marshal(NewMeter().Report(0, 1))
	if err != nil || strings.Contains(string(empty), "null") {
		t.Errorf("an empty report is %s, %v", empty, err)
	}
}

// The sums are right, and rows are bounded, however many objects there are.
func TestMeterIsBounded(t *testing.T) {
	m := NewMeter()
	m.limits = limits{objects: 10, fields: 5, managers: 3}
	m.Begin()
	for i := range 100 {
		old, obj := pod(fmt.Sprint(i), "", fmt.Sprint("manager", i), 1), pod(fmt.Sprint(i), "", fmt.Sprint("manager", i), 2)
		obj.SetLabels(map[string]string{fmt.Sprint("label", i): "x"})
		old.SetLabels(map[string]string{"other": "x"})
		m.See("pods", Updated, old, obj)
	}
	r := m.Report(time.Second, 1000)
	if len(r.Objects) != 10 || len(r.Fields) != 5 || len(r.Managers) != 3 || !r.Incomplete || r.Total.Changes != 100 {
		t.Errorf("%d objects, %d fields, %d managers, incomplete %t, %d changes", len(r.Objects), len(r.Fields), len(r.Managers), r.Incomplete, r.Total.Changes)
	}
}
