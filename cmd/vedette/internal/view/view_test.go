package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"vedette.dev/cmd/vedette/internal/object"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func thing(name, node, phase string) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"nodeName": node}, "status": map[string]any{"phase": phase}}}
	obj.SetNamespace("default")
	obj.SetName(name)
	obj.SetCreationTimestamp(metav1.NewTime(noon.Add(-time.Minute)))
	return obj
}

func by(t interface{ Fatal(...any) }, text string) object.By {
	b, err := object.ParseBy(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// verify panics if an invariant does not hold.
func (v *View) verify() {
	sum := 0
	for name, g := range v.groups {
		of := 0
		for status, n := range g.statuses {
			if n <= 0 {
				panic(fmt.Sprintf("%d objects of group %s are %s", n, name, status))
			}
			of += n
		}
		if g.objects <= 0 || of != g.objects {
			panic(fmt.Sprintf("group %s has %d objects, and statuses of %d", name, g.objects, of))
		}
		sum += g.objects
	}
	if sum != len(v.objects) {
		panic(fmt.Sprintf("%d objects in groups, of %d", sum, len(v.objects)))
	}
}

// Groups are what one gets by counting all objects anew.
func TestGroupsAgainstAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := New(by(t, "node"), false)
		model := make(map[string]*unstructured.Unstructured)
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			at := noon.Add(time.Duration(i) * time.Second)
			name := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "name")
			if rapid.IntRange(0, 2).Draw(t, "step") == 0 {
				v.RemoveKey("default", name, at)
				delete(model, name)
			} else {
				obj := thing(name, rapid.SampledFrom([]string{"", "n1", "n2"}).Draw(t, "node"), rapid.SampledFrom([]string{"", "Up", "Down"}).Draw(t, "phase"))
				v.Put(obj, at)
				model[name] = obj
			}
			v.verify()
			want := make(map[string]int)
			for _, obj := range model {
				want[by(t, "node").Of(obj)+" "+object.Status(obj)]++
			}
			got := make(map[string]int)
			for name, g := range v.groups {
				for status, n := range g.statuses {
					got[name+" "+status] = n
				}
			}
			if !maps.Equal(got, want) {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	})
}

func TestFrameOfGroups(t *testing.T) {
	v := New(by(t, "node"), true)
	v.Put(thing("a", "n1", "Running"), time.Time{})
	v.Put(thing("b", "n2", "Running"), time.Time{})
	v.Put(thing("c", "n2", "Pending"), time.Time{})
	v.Put(thing("d", "n2", "Running"), time.Time{})
	v.Put(thing("a", "n1", "Failed"), noon)
	v.Put(thing("e", "", ""), noon.Add(time.Second))
	f := v.Frame("pods", 10, noon.Add(5*time.Second))
	got := strings.Join(append([]string{f.Title, f.Header}, f.Rows...), "\n")
	want := `pods: 5 objects in 3 groups, 0.4 changes/s
NODE     OBJECTS   CHANGES   LAST CHANGE   STATUS
n2             3         0   -             2 Running, 1 Pending
<none>         1         1   4s
n1             1         1   5s            1 Failed`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// One that moves is a change of both groups.
	v.Put(thing("a", "n2", "Failed"), noon.Add(6*time.Second))
	v.Remove(thing("e", "", ""), noon.Add(6*time.Second))
	f = v.Frame("pods", 10, noon.Add(6*time.Second))
	if len(f.Rows) != 1 || !strings.HasPrefix(f.Rows[0], "n2           4         1   0s") {
		t.Errorf("%q", f.Rows)
	}
}

func TestFrameOfObjects(t *testing.T) {
	v := New(object.By{}, true)
	for i := range 5 {
		v.Put(thing(fmt.Sprint("o", i), "", "Up"), time.Time{})
	}
	v.Put(thing("o3", "", "Down"), noon)
	names := func(room int) string {
		var names []string
		for _, row := range v.Frame("things", room, noon).Rows {
			if fields := strings.Fields(row); len(fields) > 0 {
				names = append(names, fields[1])
			}
		}
		return strings.Join(names, " ")
	}
	if got := names(5); got != "o0 o1 o2 o3 o4" {
		t.Errorf("in the order of names: %s", got)
	}
	// Where there is no room for all, what changed last comes first. All are counted.
	if got := names(2); !strings.HasPrefix(got, "o3 o0 o1") {
		t.Errorf("without room: %s", got)
	}
	if f := v.Frame("things", 2, noon); len(f.Rows) != 5 || !slices.Contains(strings.Fields(f.Header), "NAMESPACE") {
		t.Errorf("%d rows, %s", len(f.Rows), f.Header)
	}
	if f := New(object.By{}, false).Frame("things", 2, noon); f.Title != "things: 0 objects" || strings.Contains(f.Header, "NAMESPACE") {
		t.Errorf("empty: %+v", f)
	}
}

func TestPace(t *testing.T) {
	var p pace
	if p.rate(noon) != 0 {
		t.Error("there is a rate before anything has changed")
	}
	for second := range 60 {
		for range 7 {
			p.add(noon.Add(time.Duration(second) * time.Second))
		}
	}
	if got := p.rate(noon.Add(60 * time.Second)); got != 7 {
		t.Errorf("%v changes a second", got)
	}
	if got := p.rate(noon.Add(65 * time.Second)); got != 3.5 {
		t.Errorf("%v changes a second after 5 quiet ones", got)
	}
	if got := p.rate(noon.Add(3 * time.Minute)); got != 0 {
		t.Errorf("%v changes a second after three minutes", got)
	}
}
