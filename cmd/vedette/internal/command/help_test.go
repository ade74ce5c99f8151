package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// output is what was written, and can be waited for.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func newOutput() *output { return &output{changed: make(chan struct{})} }

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changed)
	o.changed = make(chan struct{})
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// wait waits until something was written after what was there at an offset, and returns the offset behind it.
func (o *output) wait(t *testing.T, from int, want string) int {
	t.Helper()
	timeout := time.After(20 * time.Second)
	for {
		o.mu.Lock()
		text, changed := o.text.String(), o.changed
		o.mu.Unlock()
		if i := strings.Index(text[from:], want); i >= 0 {
			return from + i + len(want)
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("%q was not written:\n%s", want, text[from:])
		}
	}
}

// process is the command, run in this process on a terminal that is a buffer.
type process struct {
	out, err *output
	streams  *streams
	cancel   context.CancelCauseFunc
	code     chan int
}

// start runs the command on a terminal.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{out: newOutput(), err: newOutput(), code: make(chan int, 1)}
	p.streams = &streams{out: p.out, err: p.err, outTerminal: true, errTerminal: true, size: func() (int, int) { return 100, 30 }}
	ctx, cancel := context.WithCancelCause(t.Context())
	p.cancel = cancel
	go func() { p.code <- run(ctx, p.streams, args) }()
	return p
}

// interrupt does what Ctrl-C does, and returns the exit status.
func (p *process) interrupt() int {
	p.cancel(errInterrupted)
	return <-p.code
}

func newPod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "1"},
		Spec:       corev1.PodSpec{NodeName: node},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
}

// newServer starts a server with objects, and writes its kubeconfig to a file.
func newServer(t *testing.T, objects ...runtime.Object) (server *apitest.Server, kubeconfig string) {
	t.Helper()
	server = apitest.New(t, apitest.Config{Objects: objects})
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, server.Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	return server, kubeconfig
}

func put(t *testing.T, server *apitest.Server, objects ...runtime.Object) {
	t.Helper()
	if err := server.Put(objects...); err != nil {
		t.Fatal(err)
	}
}

// modify changes a pod as a manager does.
func modify(t *testing.T, server *apitest.Server, name, manager string, edit func(*corev1.Pod)) {
	t.Helper()
	obj, err := server.Get(t.Context(), corev1.SchemeGroupVersion.WithResource("pods"), "default", name)
	if err != nil {
		t.Fatal(err)
	}
	pod := obj.(*corev1.Pod)
	edit(pod)
	now := metav1.Now()
	owned := metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:colour":{}}},"f:status":{"f:phase":{}}}`)
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: "Update", APIVersion: "v1", Time: &now, FieldsV1: owned}}
	put(t, server, pod)
}
