package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// step is a request, written by hand in testdata/steps, and in testdata/answers with what the real server answered.
type step struct {
	Do   string          `json:"do"` // such as "POST /api/v1/namespaces"
	Body json.RawMessage `json:"body"`
	Code int             `json:"code,omitempty"`
	// Answer is the object or the Status.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Settled is what became of a CustomResourceDefinition when the server took it up.
	Settled json.RawMessage `json:"settled,omitempty"`
	// Table is the object as a table, if it was accepted.
	Table json.RawMessage `json:"table,omitempty"`
}

// recordSamples runs the steps of each file in turn, and writes down what came of them.
func (s *server) recordSamples(ctx context.Context, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "steps", "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		steps, err := readSteps(file)
		if err != nil {
			return err
		}
		for i := range steps {
			if err := s.run(ctx, &steps[i]); err != nil {
				return fmt.Errorf("%s, step %d: %w; before it: %s", file, i, err, steps[max(i-1, 0)].Answer)
			}
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml") + ".json"
		if err := writeSteps(filepath.Join(dir, "answers", name), steps); err != nil {
			return err
		}
	}
	if err := s.recordSelectors(ctx, filepath.Join(dir, "selectors.json")); err != nil {
		return err
	}
	return s.recordCustomOpenAPI(ctx, filepath.Join(dir, "openapi-v3-widgets.json"))
}

// recordCustomOpenAPI is about a kind that one of the steps has defined. Of the paths it keeps which there are.
func (s *server) recordCustomOpenAPI(ctx context.Context, file string) error {
	var document struct {
		OpenAPI    string                                `json:"openapi"`
		Info       json.RawMessage                       `json:"info"`
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components json.RawMessage                       `json:"components"`
	}
	if err := s.getJSON(ctx, "/openapi/v3/apis/example.com/v1", &document); err != nil {
		return err
	}
	for _, path := range document.Paths {
		for method := range path {
			path[method] = json.RawMessage("{}")
		}
	}
	data, err := json.Marshal(document)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

func readSteps(file string) (steps []step, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return steps, yaml.UnmarshalStrict(data, &steps)
}

const tables = "application/json;as=Table;v=v1;g=meta.k8s.io"

func (s *server) run(ctx context.Context, st *step) (err error) {
	method, path, _ := strings.Cut(st.Do, " ")
	if method == http.MethodPut {
		if err := s.nameVersion(ctx, path, st); err != nil {
			return err
		}
	}
	if st.Code, st.Answer, err = s.do(ctx, method, path, "application/json", st.Body); err != nil {
		return err
	}
	if !json.Valid(st.Answer) {
		return fmt.Errorf("%s: %d %s", st.Do, st.Code, st.Answer)
	}
	if st.Code >= http.StatusBadRequest {
		return nil
	}
	if method == http.MethodPost {
		var object struct{ Metadata struct{ Name string } }
		if err := json.Unmarshal(st.Answer, &object); err != nil {
			return err
		}
		path += "/" + object.Metadata.Name
	}
	path = strings.TrimSuffix(path, "/status")
	if strings.Contains(path, "/customresourcedefinitions/") {
		if err := s.settle(ctx, path, st); err != nil {
			return err
		}
	}
	st.Table, err = s.get(ctx, path+"?includeObject=None", tables)
	return err
}

// nameVersion makes a PUT one that knows what it replaces: some kinds insist on it.
func (s *server) nameVersion(ctx context.Context, path string, st *step) error {
	var now struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := s.getJSON(ctx, path, &now); err != nil {
		return err
	}
	var body map[string]any
	if err := json.Unmarshal(st.Body, &body); err != nil {
		return err
	}
	body["metadata"].(map[string]any)["resourceVersion"] = now.Metadata.ResourceVersion
	var err error
	st.Body, err = json.Marshal(body)
	return err
}

// settle waits until a new kind is served.
func (s *server) settle(ctx context.Context, path string, st *step) error {
	var crd struct {
		Spec struct {
			Group    string
			Names    struct{ Plural string }
			Versions []struct{ Name string }
		}
	}
	if err := json.Unmarshal(st.Answer, &crd); err != nil {
		return err
	}
	served := fmt.Sprintf("/apis/%s/%s/%s", crd.Spec.Group, crd.Spec.Versions[0].Name, crd.Spec.Names.Plural)
	for {
		if code, _, err := s.do(ctx, http.MethodGet, served, "application/json", nil); err != nil {
			return err
		} else if code == http.StatusOK {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	var err error
	st.Settled, err = s.get(ctx, path, "application/json")
	return err
}

// writeSteps writes one step a line, so that a change shows as one.
func writeSteps(file string, steps []step) error {
	var out bytes.Buffer
	out.WriteString("[\n")
	for i, st := range steps {
		st.Answer, st.Settled = withoutManagers(st.Answer), withoutManagers(st.Settled)
		line, err := json.Marshal(st)
		if err != nil {
			return err
		}
		out.Write(line)
		if i < len(steps)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("]\n")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o644)
}

// withoutManagers leaves out the managed fields, which are long and not what the steps are about.
func withoutManagers(object []byte) []byte {
	var fields map[string]any
	if json.Unmarshal(object, &fields) != nil {
		return object
	}
	if metadata, ok := fields["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
	out, err := json.Marshal(fields)
	if err != nil {
		return object
	}
	return out
}
