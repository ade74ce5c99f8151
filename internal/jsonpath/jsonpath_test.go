package jsonpath

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// object is a pod, as a client reads it.
func object(t *testing.T) (pod any) {
	t.Helper()
	err := json.Unmarshal([]byte(`{"metadata":{"name":"a","labels":{"app":"web","example.com/tier":"front","a]b":"c"}},
		"spec":{"nodeName":"node-a","containers":[{"name":"c","image":"i","ports":[80,81]},{"name":"d","image":"j"}]},
		"status":{"nothing":null,"conditions":[{"type":"Ready","status":"True"},{"type":"Other","status":"False"}]}}`), &pod)
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

func TestPath(t *testing.T) {
	pod := object(t)
	for path, want := range map[string]string{
		"{.spec.nodeName}":                                  "[node-a]",
		".spec.nodeName":                                    "[node-a]",
		"{$.spec['nodeName']}":                              "[node-a]",
		`{.metadata.labels.example\.com/tier}`:              "[front]",
		`{.metadata.labels['example.com/tier']}`:            "[front]",
		"{.spec.containers[*].image}":                       "[i j]",
		"{.spec.containers[1].image}":                       "[j]",
		"{.spec.containers[-1].image}":                      "[j]",
		"{.spec.containers[9].image}":                       "[]",
		"{.spec.containers[-9].image}":                      "[]",
		"{.spec.containers[0].ports[*]}":                    "[80 81]",
		`{.status.conditions[?(@.type=="Ready")].status}`:   "[True]",
		`{.status.conditions[?(@.type != 'Ready')].status}`: "[False]",
		"{.metadata.labels.*}":                              "[c web front]",
		`{.metadata.labels["a]b"]}`:                         "[c]",
		`{.status.conditions[?(@.type!="==")].status}`:      "[True False]",
		`{.status.conditions[?(@.type=="!=")].status}`:      "[]",
		"{.status.nothing}":                                 "[]",
		"{[*].name}":                                        "[a]",
		"{.no.such.field}":                                  "[]",
		"{.metadata.name.below}":                            "[]",
		`{.spec.containers[?(@.ports[0]==80)].name}`:        "[c]",
	} {
		p, err := Parse(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := fmt.Sprint(p.Find(pod)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	for _, all := range []string{".", "{.}", "$."} {
		if p, err := Parse(all); err != nil || !reflect.DeepEqual(p.Find(pod), []any{pod}) {
			t.Errorf("%s: %v %v", all, p, err)
		}
	}
	for _, bad := range []string{"", "{}", "{.a", "a", "{.a[}", "{.a[x]}", "{..a}", "{.a.}", "{.a[?(type==1)]}", "{.a[?(@.x>1)]}", "{.a[?(@x==1)]}", "{.a[?(@.x)]}", "{.a[?(@.b[)==1]}", "$", "{$}"} {
		if p, err := Parse(bad); err == nil {
			t.Errorf("%q is taken for %v", bad, p)
		}
	}
}

// Whatever path and object there are, nothing panics.
func TestAnythingIsTaken(t *testing.T) {
	pod := object(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`\{?\$?([.\[][a-z*0-9'"?(@=)\]-]{0,8}){0,4}\}?`).Draw(t, "path")
		if path, err := Parse(text); err == nil {
			path.Find(pod)
		}
	})
}

func TestLastField(t *testing.T) {
	for text, want := range map[string]string{"{.a.b}": "b", "{.a['b.c'][*]}": "b.c", "{[*]}": "", "{.}": "", `{.a[?(@.b=="c")]}`: "a"} {
		if p, err := Parse(text); err != nil || p.LastField() != want {
			t.Errorf("%s: %q %v, want %q", text, p.LastField(), err, want)
		}
	}
}

// What is found is the caller's to append to: the object stays as it is.
func TestFindLeavesTheObjectAlone(t *testing.T) {
	pod := object(t)
	for _, text := range []string{"{.spec.containers[*]}", "{.spec.containers[0]}", "{.*}", "{.spec.containers[0].ports[*]}"} {
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		found := append(p.Find(pod)[:1], "changed", "changed")
		found[0] = "changed"
	}
	if !reflect.DeepEqual(pod, object(t)) {
		t.Errorf("the object is %v now", pod)
	}
}
