package kinds

import (
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// recordedStep is what testenv/cmd/record writes: a request and what the real server answered.
type recordedStep struct {
	Do            string
	Body          json.RawMessage
	Code          int
	Answer, Table json.RawMessage
	Settled       json.RawMessage
}

// replay holds the objects that were accepted so far.
type replay struct {
	registry *Registry
	objects  map[string]runtime.Object
}

// Every request that the real server was sent is prepared and validated here, with the same outcome.
func TestAnswersAreAsRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/answers/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no answers", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var steps []recordedStep
			if err := json.Unmarshal(data, &steps); err != nil {
				t.Fatal(err)
			}
			r := &replay{registry: NewRegistry(), objects: map[string]runtime.Object{}}
			for _, step := range steps {
				var object metav1.PartialObjectMetadata
				_ = json.Unmarshal(step.Body, &object)
				t.Run(strings.ReplaceAll(step.Do, "/", "_")+"_"+object.Name, func(t *testing.T) { r.step(t, step) })
			}
		})
	}
}

func (r *replay) step(t *testing.T, step recordedStep) {
	if step.Code == http.StatusConflict {
		t.Skip("not the business of this package")
	}
	method, path, _ := strings.Cut(step.Do, " ")
	kind, name, sub := r.resolve(t, path)
	obj, old := kind.New(), runtime.Object(nil)
	if err := json.Unmarshal(step.Body, obj); err != nil {
		t.Fatal(err)
	}
	op := Create
	if method == http.MethodPut {
		op, old = Update, r.objects[strings.TrimSuffix(path, "/status")]
		if sub == "status" {
			op = UpdateStatus
		}
	}
	adopt(obj, old, kind, step)
	kind.Prepare(obj, old, op)
	errs := kind.Validate(obj, old, op)
	if step.Code >= http.StatusBadRequest {
		m, _ := meta.Accessor(obj)
		sameStatus(t, apierrors.NewInvalid(r.registry.Storage(kind).GroupKind(), m.GetName(), errs).Status(), step.Answer)
		return
	}
	if len(errs) > 0 {
		t.Fatalf("refused: %v", errs.ToAggregate())
	}
	want := kind.New()
	if err := json.Unmarshal(step.Answer, want); err != nil {
		t.Fatal(err)
	}
	version := want.DeepCopyObject()
	sameObject(t, obj, want)
	want = version
	if name == "" {
		m, _ := meta.Accessor(obj)
		path += "/" + m.GetName()
	}
	r.objects[strings.TrimSuffix(path, "/status")] = want
	if step.Table != nil {
		r.sameTable(t, kind, want, step.Table)
	}
	if kind.Resource() == CRDResource {
		r.define(t, obj.(*unstructured.Unstructured), step.Settled)
	}
}

// resolve takes a path apart.
func (r *replay) resolve(t *testing.T, path string) (kind *Kind, name, sub string) {
	parts := split(path)
	gvr := schema.GroupVersionResource{Version: parts[1]}
	parts = parts[2:]
	if strings.HasPrefix(path, "/apis/") {
		gvr.Group, gvr.Version = gvr.Version, parts[0]
		parts = parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	gvr.Resource = parts[0]
	kind, ok := r.registry.Lookup(gvr)
	if !ok {
		t.Fatalf("no %v", gvr)
	}
	parts = append(parts, "", "")
	return kind, parts[1], parts[2]
}

// adopt does what is done before Prepare: metadata that the server makes up is that of the recording.
func adopt(obj, old runtime.Object, kind *Kind, step recordedStep) {
	var answer metav1.PartialObjectMetadata
	_ = json.Unmarshal(step.Answer, &answer)
	m, _ := meta.Accessor(obj)
	m.SetCreationTimestamp(answer.CreationTimestamp)
	if old == nil && answer.UID == "" {
		answer.UID, answer.CreationTimestamp = "some", metav1.Now()
	}
	if old == nil {
		m.SetUID(answer.UID)
	} else if before, err := meta.Accessor(old); err == nil {
		m.SetResourceVersion(before.GetResourceVersion())
	}
	if kind.Namespaced && m.GetNamespace() == "" {
		m.SetNamespace("default")
		if strings.Contains(step.Do, "kube-public") {
			m.SetNamespace("kube-public")
		}
	}
}

func sameStatus(t *testing.T, got metav1.Status, answer []byte) {
	t.Helper()
	var want metav1.Status
	if err := json.Unmarshal(answer, &want); err != nil {
		t.Fatal(err)
	}
	cutDifference(&got)
	cutDifference(&want)
	if !inAnyOrder(&got, &want) || got.Message != want.Message || !reflect.DeepEqual(got.Details, want.Details) {
		t.Errorf("\ngot  %s\nwant %s", got.Message, want.Message)
		if got.Message == want.Message {
			t.Errorf("\ngot  %+v\nwant %+v", got.Details, want.Details)
		}
	}
}

// inAnyOrder sorts what the real server finds in the order of a Go map, and then has no message to compare.
func inAnyOrder(got, want *metav1.Status) bool {
	if want.Details.Group != "example.com" && want.Details.Kind != "ConfigMap" || len(got.Details.Causes) != len(want.Details.Causes) {
		return true
	}
	for _, s := range []*metav1.Status{got, want} {
		slices.SortFunc(s.Details.Causes, func(a, b metav1.StatusCause) int {
			return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
		})
		s.Message = ""
	}
	return true
}

// cutDifference leaves out the listing of what has changed, which shows types of the real server that no other server has.
func cutDifference(s *metav1.Status) {
	s.Message, _, _ = strings.Cut(s.Message, "\n")
	for i := range s.Details.Causes {
		s.Details.Causes[i].Message, _, _ = strings.Cut(s.Details.Causes[i].Message, "\n")
	}
}

func sameObject(t *testing.T, got, want runtime.Object) {
	t.Helper()
	for _, obj := range []runtime.Object{got, want} {
		m, _ := meta.Accessor(obj)
		m.SetManagedFields(nil)
		m.SetResourceVersion("")
		obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	if equality.Semantic.DeepEqual(got, want) {
		return
	}
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		t.Errorf("\ngot  %s\nwant %s", g, w)
	}
}
