package kinds

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/fields"
)

func TestFieldLabelsAreAsRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/selectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var answers struct {
		Tried []string
		Kinds map[string]struct {
			Has  []string
			Else string
		}
	}
	if err := json.Unmarshal(data, &answers); err != nil {
		t.Fatal(err)
	}
	r := NewRegistry()
	if err := r.SetCRD(widgets(t)); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, k := range r.All() {
		real, ok := answers.Kinds[pathOf(k.GroupVersion())+"/"+k.Plural]
		if !ok {
			continue
		}
		checked++
		for _, label := range answers.Tried {
			want := ""
			if !slices.Contains(real.Has, label) {
				want = strings.Replace(real.Else, "LABEL", label, 1)
			}
			got := ""
			if _, _, err := k.FieldLabel(label, "x"); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s by %s:\ngot  %q\nwant %q", k.Resource(), label, got, want)
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d were checked", checked)
	}
}

// A label that a kind has must be one of those that its objects are selected by.
func TestFieldsHaveAllLabels(t *testing.T) {
	for _, k := range NewRegistry().All() {
		set := k.Fields(k.New())
		for _, label := range fieldLabels[k.GroupVersionKind] {
			name, _, err := k.FieldLabel(label, "")
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := set[name]; !ok && label != "status.podIPs" { // the real server has a label there, but no field
				t.Errorf("%s has no %s in %v", k.Resource(), name, set)
			}
		}
	}
}

func TestEventsAreSelectedByEitherName(t *testing.T) {
	r := NewRegistry()
	newer, _ := r.Lookup(eventsResource)
	older := r.Storage(newer)
	event := older.New()
	if err := json.Unmarshal([]byte(`{"metadata":{"name":"e"},"involvedObject":{"kind":"Pod"},"source":{"component":"c"}}`), event); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind     *Kind
		selector string
		want     bool
	}{
		{older, "involvedObject.kind=Pod,source=c", true}, {older, "involvedObject.kind=Node", false},
		{newer, "regarding.kind=Pod", true}, {newer, "regarding.kind!=Pod", false},
	} {
		selector, err := fields.ParseSelector(c.selector)
		if err != nil {
			t.Fatal(err)
		}
		if selector, err = selector.Transform(c.kind.FieldLabel); err != nil {
			t.Fatal(err)
		}
		converted, err := r.Convert(event, c.kind)
		if err != nil {
			t.Fatal(err)
		}
		if got := selector.Matches(c.kind.Fields(converted)); got != c.want {
			t.Errorf("%s selects %v", c.selector, got)
		}
	}
}
