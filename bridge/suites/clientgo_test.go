package suites

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// whiteBox are the tests of client-go's tools/cache that look into its informer, and why no other informer can pass them.
var whiteBox = map[string]string{
	"TestMutationDetector":              "puts a function into the field cacheMutationDetector",
	"TestResyncCheckPeriod":             "reads the field resyncCheckPeriod, and puts a clock into the informer",
	"TestSharedInformerWatchDisruption": "puts a clock into the informer",
}

// TestClientGo runs client-go's own tests of tools/cache in a copy that "vedette patch-client-go" has written. The tests assert the type of
// client-go's informer to get at SharedIndexInformer: that is taken out, and three helpers that look into the informer ask Vedette's instead.
func TestClientGo(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(t.TempDir(), "vedette")
	output(t, root, "go", "build", "-o", command, "./cmd/vedette")
	for version, tests := range map[string]int{"v0.36.3": 165, "v0.37.2": 185} {
		t.Run(version, func(t *testing.T) {
			s := patched(t, command, root, version)
			s.edit(t, "tools/cache/shared_informer_test.go", withoutAssertions)
			s.add(t, "dynamic/dynamicinformer/vedette_test.go", bytesTest)
			s.test(t, tests, "./tools/cache")
			s.test(t, 1, "./dynamic/dynamicinformer", "-run=TestBytes")
			undone(t, command, filepath.Dir(s.dir))
		})
	}
}

// patched returns a copy of a version of client-go that runs on Vedette.
func patched(t *testing.T, command, root, version string) source {
	t.Helper()
	program := source{t.TempDir()}
	program.add(t, "go.mod", "module example.com/program\n\ngo 1.26.0\n\nrequire k8s.io/client-go "+version+"\n")
	program.add(t, "main.go", "package main\n\nimport (\n\t_ \"k8s.io/client-go/dynamic/dynamicinformer\"\n\t_ \"k8s.io/client-go/tools/cache\"\n)\n\nfunc main() {}\n")
	output(t, program.dir, "go", "mod", "tidy")
	t.Log(output(t, program.dir, command, "patch-client-go", "--vedette", root))
	output(t, program.dir, "go", "build", "./...")
	var modules map[string]any // of the program: the copy is tested with the same versions
	if err := json.Unmarshal([]byte(output(t, program.dir, "go", "mod", "edit", "-json")), &modules); err != nil {
		t.Fatal(err)
	}
	s := source{filepath.Join(program.dir, "client-go-on-vedette")}
	edit := []string{"mod", "edit"}
	for _, r := range modules["Replace"].([]any) {
		from, to := r.(map[string]any)["Old"].(map[string]any)["Path"].(string), r.(map[string]any)["New"].(map[string]any)
		if from == "k8s.io/client-go" {
			continue
		}
		by := to["Path"].(string)
		if version, ok := to["Version"].(string); ok {
			by += "@" + version
		}
		edit = append(edit, "-replace="+from+"="+by)
	}
	output(t, s.dir, "go", edit...)
	// Not go mod tidy, which asks for what the tests of Vedette need: kinds that older versions of k8s.io/api do not have.
	output(t, s.dir, "go", "list", "-mod=mod", "-deps", "-test", "./tools/cache", "./dynamic/dynamicinformer")
	return s
}

// undone undoes the patch of a program.
func undone(t *testing.T, command, program string) {
	t.Helper()
	t.Log(output(t, program, command, "patch-client-go", "--undo"))
	data, err := os.ReadFile(filepath.Join(program, "go.mod"))
	if err != nil || bytes.Contains(data, []byte("vedette")) {
		t.Errorf("go.mod after --undo: %v\n%s", err, data)
	}
	if _, err := os.Stat(filepath.Join(program, "client-go-on-vedette")); !os.IsNotExist(err) {
		t.Errorf("the copy after --undo: %v", err)
	}
}

var function = regexp.MustCompile(`(?m)^func `)

// withoutAssertions changes the tests so that they use SharedIndexInformer, and Vedette's state.
func withoutAssertions(text string) string {
	var out strings.Builder
	starts := function.FindAllStringIndex(text, -1)
	out.WriteString(strings.Replace(text[:starts[0][0]], "\n)\n", "\n\t\"slices\"\n\tvedettecache \"vedette.dev/cache\"\n)\n", 1))
	for i, start := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		body := text[start[0]:end]
		name, _, _ := strings.Cut(strings.TrimPrefix(body, "func "), "(")
		switch {
		case name == "eventHandlerCount":
			body = "func eventHandlerCount(i SharedInformer) int {\n\treturn len(vedettecache.StateOf(i.(*sharedInformer).engine).Handlers)\n}\n\n"
		case name == "isStarted":
			body = "func isStarted(i SharedInformer) bool { return i.(*sharedInformer).logging.Load() != nil }\n\n"
		case name == "isRegistered":
			body = `func isRegistered(i SharedInformer, h ResourceEventHandlerRegistration) bool {
	own := vedettecache.HandlerStateOf(h.(registration).engine).Number
	return slices.ContainsFunc(vedettecache.StateOf(i.(*sharedInformer).engine).Handlers, func(s vedettecache.HandlerState) bool { return s.Number == own })
}

`
		case whiteBox[name] == "":
			body = strings.ReplaceAll(body, ".(*sharedIndexInformer)", ".(SharedIndexInformer)")
		}
		out.WriteString(body)
	}
	return out.String()
}

// bytesTest is a test that informers of the patched client-go read the bytes that a server sends.
const bytesTest = `package dynamicinformer_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	vedettecache "vedette.dev/cache"
)

func TestBytes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			w.Write([]byte(` + "`" + `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"4"}}]}` + "`" + `))
			return
		}
		if r.URL.Query().Get("sendInitialEvents") != "" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		w.Write([]byte(` + "`" + `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","namespace":"n","uid":"v","resourceVersion":"6"}}}` + "`" + `))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	factory := dynamicinformer.NewDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(&rest.Config{Host: server.URL}), 0)
	informer := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Informer()
	stop := make(chan struct{})
	factory.Start(stop)
	defer factory.Shutdown()
	defer close(stop)
	factory.WaitForCacheSync(stop)
	for range 1000 {
		if len(informer.GetStore().List()) == 2 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	state := vedettecache.StateOf(informer.(interface{ VedetteInformer() vedettecache.SharedIndexInformer }).VedetteInformer())
	if n := len(informer.GetStore().List()); n != 2 || state.Bytes == 0 {
		t.Errorf("%d pods, of which %d bytes were read", n, state.Bytes)
	}
}
`

// test runs tests of a package of client-go. All but those of whiteBox must pass, and as many as want at least.
func (s source) test(t *testing.T, want int, args ...string) {
	t.Helper()
	skip := []string{}
	for name := range whiteBox {
		skip = append(skip, name)
	}
	slices.Sort(skip)
	args = append([]string{"test", "-json", "-vet=off", "-skip=^(" + strings.Join(skip, "|") + ")$"}, args...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	passed, failed := 0, []string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	var said bytes.Buffer
	for lines.Scan() {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			said.Write(lines.Bytes())
			continue
		}
		said.WriteString(event.Output)
		switch {
		case event.Test == "" || strings.Contains(event.Test, "/"):
		case event.Action == "pass":
			passed++
		case event.Action == "fail":
			failed = append(failed, event.Test)
		}
	}
	if err != nil || passed < want {
		t.Fatalf("go %s: %v: %d tests passed, want %d or more; failed: %v\n%s", strings.Join(args, " "), err, passed, want, failed, tail(said.Bytes()))
	}
	t.Logf("go %s: %d tests passed", strings.Join(args, " "), passed)
}
