package wirefilter

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// widget is a custom resource, with what built-in types do not have.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	common
	*Shared
	Spec  widgetSpec     `json:"spec"`
	Free  any            `json:"free,omitempty"`
	Loose map[string]any `json:"loose,omitempty"`
}

type common struct{ A, B int } // decoders reach the fields although the struct is not exported

type Shared struct {
	Color string `json:"color,omitempty"`
	Shade string `json:"shade,omitempty"`
	Spec  int    `json:"spec,omitempty"` // is not seen: the other is less deep
}

type widgetSpec struct {
	Self  *widgetSpec                 `json:"self,omitempty"` // a type that contains itself
	Parts map[string][]map[string]int `json:"parts,omitempty"`
	Ratio float64
	Port  intstr.IntOrString `json:"port,omitempty"`
	Not   string             `json:"-"`
}

func TestCustomStruct(t *testing.T) {
	const text = `{"kind":"Widget","metadata":{"name":"a","labels":{"x":"y"}},"A":1,"B":2,"color":"red","shade":"dark","spec":{"self":{"self":{"Ratio":2},"Ratio":1.5},` +
		`"parts":{"a":[{"x":1,"y":2}],"b":[{"x":3},null]},"Ratio":1,"port":"http"},"free":{"a":{"b":1,"c":2},"d":[{"a":5}]},"loose":{"a":{"x":1,"y":2},"b":5}}`
	for _, paths := range []string{
		"A", "color", "spec.self.self.Ratio", "spec.self", "spec.parts[a]", "spec.parts[a][x]", "spec.parts[b][x] spec.Ratio", "spec.port",
		"free.a.b", "free[a].c free.d.a", "free", "loose[a].x", "loose.y", "loose.y loose[b]", "loose[a].x loose.y", "shade color", "spec",
	} {
		for name, build := range map[string]func(any, ...string) (*Filter, error){"keep": Keep, "drop": Drop} {
			f := must(t)(build(&widget{}, strings.Fields(paths)...))
			checkAnyJSON(t, f, &widget{}, []byte(text))
			if t.Failed() {
				got, err := f.JSON(nil, []byte(text))
				t.Fatalf("%s %s: %s, %v", name, paths, got, err)
			}
		}
	}
	for _, wrong := range []string{"Not", "spec.Not", "Shared", "spec.port.a", "common"} {
		if _, err := Keep(&widget{}, wrong); err == nil {
			t.Errorf("%s is a field", wrong)
		}
	}
	f := must(t)(Keep(&widget{}, "loose[a].x", "loose.y"))
	got, err := f.JSON(nil, []byte(text))
	want := `{"kind":"Widget","metadata":{"name":"a"},"loose":{"a":{"x":1,"y":2},"b":5}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	if _, err := f.Protobuf(nil, nil); err == nil || err.Error() != "widgets have no protobuf form; ask for JSON" {
		t.Error(err)
	}
}

// Paths of objects without a type are not looked at, and go through lists in lists.
func TestUnstructured(t *testing.T) {
	const text = `{"apiVersion":"v1","metadata":{"name":"a","labels":{"a.b":"1"}},"spec":{"a":[[{"b":1,"c":2},5],{"b":3},"text",null],"d":7}}`
	for paths, want := range map[string]string{
		"spec.a.b":                      `{"apiVersion":"v1","metadata":{"name":"a"},"spec":{"a":[[{"b":1},5],{"b":3},"text",null]}}`,
		"spec.d.e":                      `{"apiVersion":"v1","metadata":{"name":"a"},"spec":{"d":7}}`, // what is no object stays as it is
		"metadata.labels[a.b] nonsense": `{"apiVersion":"v1","metadata":{"name":"a","labels":{"a.b":"1"}}}`,
	} {
		f := must(t)(Keep(&unstructured.Unstructured{}, strings.Fields(paths)...))
		got, err := f.JSON(nil, []byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", paths, got, err)
		}
		u := &unstructured.Unstructured{}
		if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		var left map[string]any
		if err := json.Unmarshal(got, &left); err != nil {
			t.Fatal(err)
		}
		if err := f.Object(u); err != nil || !reflect.DeepEqual(u.Object, left) {
			t.Errorf("%s: %v, %v", paths, u.Object, err)
		}
	}
}

// Many names are looked up in another way than few.
func TestManyNames(t *testing.T) {
	var paths []string
	text := `{"metadata":{"name":"a","labels":{`
	want := text
	for i := range 3 * fewNames {
		name := strings.Repeat("x", i+1)
		text += `"` + name + `":"","` + name + `y":"",`
		want += `"` + name + `":"",`
		paths = append(paths, "metadata.labels["+name+"]")
	}
	text, want = strings.TrimSuffix(text, ",")+"}}}", strings.TrimSuffix(want, ",")+"}}}"
	got, err := must(t)(Keep(&widget{}, paths...)).JSON(nil, []byte(text))
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}
