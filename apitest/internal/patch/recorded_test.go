package patch

import (
	"encoding/json"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"vedette.dev/apitest/internal/kinds"
)

// object, testCase and answer are what testenv/e2e reads and writes.
type object struct {
	Resource string         `json:"resource"`
	Manifest map[string]any `json:"manifest"`
}

type testCase struct {
	Name, Object, Path, Verb, Sub, Type, Body, Manager, Validation string

	Missing, NoManager, Force bool
	Before                    []any
	Defaults                  bool
	Repeat                    int
	Later                     string
}

type answer struct {
	Live     json.RawMessage
	Code     int
	Warnings []string
	Body     json.RawMessage
	After    json.RawMessage
}

// TestRecorded compares with the answers of the real server.
func TestRecorded(t *testing.T) {
	objects := map[string]object{}
	readTestdata(t, "objects.yaml", &objects)
	registry := testRegistry(t)
	for _, table := range []string{"patches", "applies", "writes"} {
		var cases []testCase
		readTestdata(t, table+".yaml", &cases)
		answers := map[string]answer{}
		readTestdata(t, table+".json", &answers)
		for _, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				want, ok := answers[c.Name]
				if !ok {
					t.Fatal("there is no recorded answer")
				}
				path := c.Path
				if path == "" {
					path = objects[c.Object].Resource
				}
				kind := lookup(t, registry, path)
				if c.Sub == "scale" {
					compareScale(t, c, want, kind, New(registry))
					return
				}
				compare(t, c, want, kind, New(registry))
			})
		}
	}
}

func readTestdata(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// testRegistry knows widgets as well.
func testRegistry(t testing.TB) *kinds.Registry {
	t.Helper()
	registry := kinds.NewRegistry()
	crd := &unstructured.Unstructured{}
	readTestdata(t, "crd.yaml", &crd.Object)
	if err := registry.SetCRD(crd); err != nil {
		t.Logf("without custom kinds: %v", err)
	}
	return registry
}

// lookup takes group/version/plural.
func lookup(t testing.TB, registry *kinds.Registry, path string) *kinds.Kind {
	t.Helper()
	kind, ok := find(registry, path)
	if !ok {
		t.Fatalf("%s is not served: record the cases again, or remove those of this kind", path)
	}
	return kind
}

func find(registry *kinds.Registry, path string) (*kinds.Kind, bool) {
	i := strings.LastIndex(path, "/")
	gv, err := schema.ParseGroupVersion(path[:i])
	if err != nil {
		return nil, false
	}
	return registry.Lookup(gv.WithResource(path[i+1:]))
}

func compare(t *testing.T, c testCase, want answer, kind *kinds.Kind, p Patcher) {
	t.Helper()
	live := decodeLive(t, kind, want.Live)
	var before runtime.Object
	if live != nil {
		before = live.DeepCopyObject()
	}
	got, warnings, err := perform(c, live, kind, p)
	if live != nil && !reflect.DeepEqual(live, before) {
		t.Error("the live object has changed")
	}
	if c.Later != "" {
		if err != nil {
			t.Errorf("error %v, though that is for later: %s", err, c.Later)
		}
		return
	}
	if c.Defaults {
		compareOwners(t, got, want.Body)
		return
	}
	if !reflect.DeepEqual(warnings, want.Warnings) {
		t.Errorf("warnings %q, want %q", warnings, want.Warnings)
	}
	if want.Code >= http.StatusBadRequest {
		compareStatus(t, err, want)
		return
	}
	if err != nil {
		t.Fatalf("error %v, want %d", err, want.Code)
	}
	compareObject(t, got, want.Body)
}

func perform(c testCase, live runtime.Object, kind *kinds.Kind, p Patcher) (runtime.Object, []string, error) {
	manager := c.Manager
	if manager == "" && !c.NoManager {
		manager = "tester"
	}
	body := c.Body
	if c.Repeat > 0 {
		body = "[" + strings.TrimSuffix(strings.Repeat(body+",", c.Repeat), ",") + "]"
	}
	if c.Verb == "" {
		return p.Patch(live, Request{
			Kind: kind, Namespace: namespaceOf(kind), Name: "thing", Subresource: c.Sub, Type: patchType(c.Type), Body: []byte(body),
			Manager: manager, Force: c.Force, FieldValidation: c.Validation,
		})
	}
	contentType := c.Type
	if contentType == "none" {
		contentType = ""
	}
	obj, warnings, err := p.Decode(kind, contentType, []byte(body), c.Validation)
	if err != nil {
		return nil, nil, err
	}
	obj, err = p.Track(live, obj, kind, c.Sub, manager)
	return obj, warnings, err
}

func namespaceOf(kind *kinds.Kind) string {
	if kind.Namespaced {
		return "patched"
	}
	return ""
}

func patchType(name string) types.PatchType {
	switch name {
	case "json":
		return types.JSONPatchType
	case "merge":
		return types.MergePatchType
	case "strategic":
		return types.StrategicMergePatchType
	case "apply":
		return types.ApplyYAMLPatchType
	}
	return types.PatchType(name)
}

func decodeLive(t *testing.T, kind *kinds.Kind, data []byte) runtime.Object {
	t.Helper()
	if data == nil {
		return nil
	}
	obj := kind.New()
	if err := json.Unmarshal(data, obj); err != nil {
		t.Fatal(err)
	}
	// Stored objects do not say what they are.
	if _, ok := obj.(runtime.Unstructured); !ok {
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return obj
}
