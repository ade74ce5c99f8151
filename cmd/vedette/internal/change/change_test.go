package change

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

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
		"no manager":             {nil, nil, []string{"a"}, Unknown},
		"new":                    {nil, entries{kubectl}, nil, "kubectl"},
		"the one that wrote":     {entries{kubectl, kubelet}, entries{entryOf("kubectl", 3, labels), kubelet}, nil, "kubectl"},
		"other fields":           {entries{kubectl}, entries{entryOf("kubectl", 1, status)}, nil, "kubectl"},
		"the last of two":        {nil, entries{kubelet, kubectl}, nil, "kubelet"},
		"within a second":        {entries{kubectl, kubelet}, entries{kubectl, kubelet}, []string{"status.conditions[Ready].status"}, "kubelet"},
		"by ownership":           {entries{kubectl, kubelet}, entries{kubectl, kubelet}, []string{"metadata.labels[app]"}, "kubectl"},
		"not by another manager": {entries{kubectl, kubelet}, entries{kubectl, kubelet}, []string{"metadata.labels[tier]"}, Unknown},
		"no name":                {nil, entries{entryOf("", 1, labels)}, nil, Unknown},
		"no time":                {nil, entries{{Manager: "old"}}, nil, "old"},
		"garbage":                {entries{entryOf("x", 1, "{")}, entries{entryOf("x", 1, "{")}, []string{"a"}, Unknown},
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
