package object

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
)

// parse reads an object from JSON, as a client does.
func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return obj
}

const podText = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"x","labels":{"app":"web","example.com/tier":"front"},
	"ownerReferences":[{"kind":"Job","name":"no"},{"kind":"ReplicaSet","name":"web-1","controller":true}]},
	"spec":{"nodeName":"node-a","containers":[{"name":"c","image":"i","ports":[80,81]},{"name":"d","image":"j"}]},
	"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"},{"type":"Other","status":"False"}]}}`

func TestBy(t *testing.T) {
	pod := parse(t, podText)
	bare := parse(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}}`)
	for text, want := range map[string][3]string{
		"":                            {"", "", ""},
		"node":                        {"NODE", "node-a", None},
		"namespace":                   {"NAMESPACE", "x", None},
		"owner":                       {"OWNER", "ReplicaSet/web-1", None},
		"label:app":                   {"APP", "web", None},
		"label:example.com/tier":      {"TIER", "front", None},
		"{.status.phase}":             {"PHASE", "Running", None},
		"{.spec.containers[*].name}":  {"NAME", "c,d", None},
		"{.spec.containers[0].ports}": {"PORTS", "[80,81]", None},
		"{.metadata.labels['app']}":   {"APP", "web", None},
		"{.spec.containers[9][*]}":    {"CONTAINERS", None, None},
	} {
		by, err := ParseBy(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := [3]string{by.Title, by.Of(pod), by.Of(bare)}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	lease := parse(t, `{"apiVersion":"v1","kind":"Lease","metadata":{"name":"n","ownerReferences":[{"kind":"Node","name":"node-b"}]}}`)
	node := parse(t, `{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-c"}}`)
	slice := parse(t, `{"apiVersion":"v1","kind":"Thing","nodeName":"node-d","metadata":{"name":"s"}}`)
	by, _ := ParseBy("node")
	owner, _ := ParseBy("owner")
	if got := by.Of(lease) + by.Of(node) + by.Of(slice) + owner.Of(lease); got != "node-bnode-cnode-dNode/node-b" {
		t.Error(got)
	}
}

func TestStatus(t *testing.T) {
	for object, want := range map[string]string{
		`{}`: "",
		`{"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Running"}}`: "Terminating",
		`{"status":{"phase":"Active"}}`: "Active",
		`{"status":{"phase":"Running","containerStatuses":[{"ready":true},{"ready":false}]}}`:                       "NotReady",
		`{"status":{"phase":"Running","containerStatuses":[{"ready":true}]}}`:                                       "Running",
		`{"status":{"phase":"Running","containerStatuses":[{"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}`:  "CrashLoopBackOff",
		`{"status":{"phase":"Pending","containerStatuses":[{"state":{"waiting":{"reason":"ContainerCreating"}}}]}}`: "Pending",
		`{"status":{"phase":"Succeeded","containerStatuses":[{"state":{"terminated":{"reason":"Completed"}}}]}}`:    "Succeeded",
		`{"spec":{"replicas":3},"status":{"readyReplicas":2}}`:                                                      "2/3",
		`{"status":{"desiredNumberScheduled":2,"numberReady":2}}`:                                                   "2/2",
		`{"status":{"conditions":[{"type":"Ready","status":"False"}]}}`:                                             "NotReady",
		`{"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}}`:                                           "Ready?",
		`{"status":{"conditions":[{"type":"Failed","status":"False"},{"type":"Available","status":"True"}]}}`:       "Available",
		`{"status":{"conditions":[{"type":"Complete","status":"True"}]}}`:                                           "Complete",
		`{"reason":"BackOff"}`:                                            "BackOff",
		`{"status":"nonsense","spec":7}`:                                  "",
		`{"status":{"phase":7,"conditions":[7],"containerStatuses":[7]}}`: "",
	} {
		var fields map[string]any
		if err := json.Unmarshal([]byte(object), &fields); err != nil {
			t.Fatal(err)
		}
		fields["apiVersion"], fields["kind"] = "v1", "X"
		whole, _ := json.Marshal(fields)
		obj := parse(t, string(whole)) // numbers as clients decode them
		if got := Status(obj); got != want {
			t.Errorf("%s: %q, want %q", object, got, want)
		}
	}
}

func TestMask(t *testing.T) {
	secret := func(value string) *unstructured.Unstructured {
		return parse(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","annotations":{"last-applied":"`+value+`"}},
			"data":{"key":"`+value+`","same":"x"},"stringData":{"key":"`+value+`"}}`)
	}
	one, again, other := secret("hunter2"), secret("hunter2"), secret("hunter3")
	masker := NewMasker()
	for _, s := range []*unstructured.Unstructured{one, again, other} {
		masker.Mask(s)
		if text := fmt.Sprint(s.Object); strings.Contains(text, "hunter") {
			t.Errorf("the value is still there: %s", text)
		}
	}
	if fmt.Sprint(one.Object) != fmt.Sprint(again.Object) {
		t.Error("the same value has two marks")
	}
	if fmt.Sprint(one.Object) == fmt.Sprint(other.Object) {
		t.Error("two values have the same mark")
	}
	elsewhere := secret("hunter2")
	NewMasker().Mask(elsewhere)
	if fmt.Sprint(one.Object) == fmt.Sprint(elsewhere.Object) {
		t.Error("marks can be compared between programs")
	}
	config := parse(t, `{"apiVersion":"v1","kind":"ConfigMap","data":{"key":"plain"},"metadata":{"name":"c"}}`)
	masker.Mask(config)
	if config.Object["data"].(map[string]any)["key"] != "plain" {
		t.Error("a ConfigMap is masked")
	}
	masker.Mask(parse(t, `{"apiVersion":"v1","kind":"Secret","data":"nonsense","metadata":{"name":"s"}}`))
}

// Size is that of the JSON, whatever the value.
func TestSize(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) any { return drawValue(t, 3) })
	rapid.Check(t, func(t *rapid.T) {
		v := value.Draw(t, "value")
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := Size(v); got != len(data) {
			t.Fatalf("%d, and not %d of %s", got, len(data), data)
		}
	})
}

func drawValue(t *rapid.T, depth int) any {
	kinds := 5
	if depth > 0 {
		kinds = 7
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.String().Draw(t, "string")
	case 1:
		return rapid.Int64().Draw(t, "int")
	case 2:
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "float")
	case 3:
		return rapid.Bool().Draw(t, "bool")
	case 5:
		fields := make(map[string]any)
		for range rapid.IntRange(0, 3).Draw(t, "fields") {
			fields[rapid.String().Draw(t, "name")] = drawValue(t, depth-1)
		}
		return fields
	case 6:
		items := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, drawValue(t, depth-1))
		}
		return items
	}
	return nil
}
