package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var recordPatches = flag.Bool("record-patches", false, "write the server's answers to patches down, for the tests of apitest")

// patchData has requests (*.yaml) and the answers to them (*.json), which apitest has to give as well.
const patchData = "../../apitest/internal/patch/testdata"

// patchObject is what requests are about.
type patchObject struct {
	Resource string         `json:"resource"` // group/version/plural
	Manifest map[string]any `json:"manifest"`
}

// patchCase is a request and what comes before it.
type patchCase struct {
	Name       string      `json:"name"`
	Object     string      `json:"object"`
	Missing    bool        `json:"missing"`
	Path       string      `json:"path"` // another resource than that of the object
	Before     []patchCase `json:"before"`
	Verb       string      `json:"verb"`
	Sub        string      `json:"sub"`
	Type       string      `json:"type"`
	Body       string      `json:"body"`
	Repeat     int         `json:"repeat"` // the body is a list of so many of the given
	Manager    string      `json:"manager"`
	NoManager  bool        `json:"nomanager"`
	Force      bool        `json:"force"`
	Validation string      `json:"validation"`
	Defaults   bool        `json:"defaults"` // the server adds some
	// Later says why the answer is not that of patching, but of what comes after.
	Later string `json:"later"`
}

// patchAnswer is what the server said, without what differs from one time to the next.
type patchAnswer struct {
	Live     json.RawMessage `json:"live,omitempty"`
	Code     int             `json:"code"`
	Warnings []string        `json:"warnings,omitempty"`
	Body     json.RawMessage `json:"body"`
	// After is the object whose scale was written.
	After json.RawMessage `json:"after,omitempty"`
}

// TestPatchAnswers sees that the recorded answers are those of the server, or records them.
func TestPatchAnswers(t *testing.T) {
	p := newPatching(t)
	for _, table := range []string{"patches", "applies", "writes"} {
		answers := map[string]patchAnswer{}
		var cases []patchCase
		readYAML(t, table+".yaml", &cases)
		for _, c := range cases {
			answers[c.Name] = p.answer(c)
		}
		got, err := json.MarshalIndent(answers, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(patchData, table+".json")
		if *recordPatches {
			if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		compareAnswers(t, file, answers)
	}
}

func compareAnswers(t *testing.T, file string, got map[string]patchAnswer) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]patchAnswer{}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for name, g := range got {
		g, w := canonical(t, g), canonical(t, want[name])
		if g != w {
			t.Errorf("%s: the server says\n%s\nrecorded is\n%s", name, g, w)
		}
	}
}

// canonical is without the white space of files. The keys of maps are in order, and so are managed fields, whose order
// depends on the second in which they came, and the causes of errors, whose order depends on nothing.
func canonical(t *testing.T, a patchAnswer) string {
	t.Helper()
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	sortLists(v)
	data, err = json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func sortLists(v any) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	for key, value := range m {
		list, ok := value.([]any)
		if ok && (key == "managedFields" || key == "causes") {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		sortLists(value)
	}
}

func readYAML(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(patchData, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
