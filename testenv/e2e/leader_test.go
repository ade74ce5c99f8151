//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/kubernetes"
	"vedette.dev/testenv/internal/tunnel"
)

// Three replicas in processes of their own, each with its own way to the server. The leader is killed, another is stopped for three
// leases, another is cut off, and one is asked to end. Each leader writes to one ConfigMap, of which the server tells every change in
// order: no leader writes after a later one has. The times are a quarter of the usual ones, and so is the stop.
func TestLeaderElection(t *testing.T) {
	t.Parallel()
	client := newClientset(t)
	h := newHistory(t, client, newNamespace(t, client))
	replicas := map[string]*replicaProcess{}
	for _, name := range []string{"a", "b", "c"} {
		replicas[name] = startReplica(t, h.namespace, name)
	}
	h.await(t, "", time.Now(), "first election")

	leader := h.leader()
	killed := time.Now()
	replicas[leader].signal(t, syscall.SIGKILL)
	h.await(t, leader, killed, "SIGKILL")
	replicas["d"] = startReplica(t, h.namespace, "d")

	leader = h.leader()
	stopped := time.Now()
	replicas[leader].signal(t, syscall.SIGSTOP)
	h.await(t, leader, stopped, "SIGSTOP")
	time.Sleep(time.Until(stopped.Add(3 * leaderLease)))
	replicas[leader].signal(t, syscall.SIGCONT)
	time.Sleep(time.Second) // for it to do harm, if it can

	leader = h.leader()
	cut := time.Now()
	replicas[leader].tunnel.Swallow(true)
	h.await(t, leader, cut, "cut off")
	time.Sleep(leaderLease)
	replicas[leader].tunnel.Swallow(false)
	time.Sleep(time.Second)

	leader = h.leader()
	asked := time.Now()
	replicas[leader].signal(t, syscall.SIGTERM)
	h.await(t, leader, asked, "SIGTERM, with release")
	time.Sleep(time.Second)

	refused := 0
	for _, r := range replicas {
		refused += r.end(t)
	}
	h.check(t)
	t.Logf("%d writes were refused because another had written since", refused)
}

// replicaProcess is a process, and its way to the server.
type replicaProcess struct {
	name   string
	cmd    *exec.Cmd
	tunnel *tunnel.Tunnel
	out    bytes.Buffer
	wait   func() error
}

func startReplica(t *testing.T, namespace, name string) *replicaProcess {
	t.Helper()
	config := adminConfig(t)
	r := &replicaProcess{name: name, tunnel: newTunnel(t, strings.TrimPrefix(shared.Env(t).Host(), "https://"))}
	setup, err := json.Marshal(replicaSetup{
		Host: "https://" + r.tunnel.Address(), Token: config.BearerToken, CA: config.CAData, Namespace: namespace, Name: name,
	})
	if err != nil {
		t.Fatal(err)
	}
	r.cmd = exec.Command(os.Args[0], "-test.run=^TestLeaderReplica$", "-test.timeout=5m")
	r.cmd.Env = append(os.Environ(), replicaVariable+"="+string(setup))
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	alive, err := r.cmd.StdinPipe() // it ends when this process does
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.wait = sync.OnceValue(r.cmd.Wait)
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		_ = r.wait()
		_ = alive.Close()
	})
	return r
}

func (r *replicaProcess) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
}

// end kills the replica and returns how many of its writes were refused.
func (r *replicaProcess) end(t *testing.T) int {
	t.Helper()
	_ = r.cmd.Process.Kill()
	_ = r.wait()
	out := r.out.String()
	if strings.Contains(out, "panic") {
		t.Errorf("%s: %s", r.name, out)
	}
	return strings.Count(out, "refused")
}

// history is what was written, in the order of the server.
type history struct {
	namespace string

	mu      sync.Mutex
	ended   bool
	entries []historyEntry
	changed chan struct{} // closed, and made anew, with each entry
}

type historyEntry struct {
	at                    time.Time
	version, writer, term string
}

func newHistory(t *testing.T, client kubernetes.Interface, namespace string) *history {
	t.Helper()
	h := &history{namespace: namespace, changed: make(chan struct{})}
	object, err := client.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: historyName}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// It is stopped below, which is after the context of the test has ended.
	w, err := client.CoreV1().ConfigMaps(namespace).Watch(context.WithoutCancel(t.Context()), metav1.ListOptions{
		ResourceVersion: object.ResourceVersion, FieldSelector: "metadata.name=" + historyName,
	})
	if err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for event := range w.ResultChan() {
			h.add(t, event)
		}
	})
	t.Cleanup(func() {
		h.mu.Lock()
		h.ended = true
		h.mu.Unlock()
		w.Stop()
		reading.Wait()
	})
	return h
}

func (h *history) add(t *testing.T, event watch.Event) {
	h.mu.Lock()
	ended := h.ended
	h.mu.Unlock()
	object, ok := event.Object.(*corev1.ConfigMap)
	if ended { // a watch that is stopped may have a last word
		return
	}
	if event.Type != watch.Modified || !ok {
		t.Errorf("the history ends with %s %v", event.Type, event.Object)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, historyEntry{time.Now(), object.ResourceVersion, object.Data["writer"], object.Data["term"]})
	close(h.changed)
	h.changed = make(chan struct{})
}

// leader is who wrote last.
func (h *history) leader() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.entries) == 0 {
		return ""
	}
	return h.entries[len(h.entries)-1].writer
}

// await waits for another than old to write, and says how long that took since.
func (h *history) await(t *testing.T, old string, since time.Time, what string) {
	t.Helper()
	ctx := within(t, 30*time.Second)
	for {
		h.mu.Lock()
		n, changed := len(h.entries), h.changed
		var last historyEntry
		if n > 0 {
			last = h.entries[n-1]
		}
		h.mu.Unlock()
		if n > 0 && last.writer != old {
			t.Logf("%s: %q writes after %v", what, last.writer, last.at.Sub(since).Round(10*time.Millisecond))
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("%s: no replica but %q writes", what, old)
		}
	}
}

// check wants each writer and term in one piece, the terms to grow, and enough of them.
func (h *history) check(t *testing.T) {
	t.Helper()
	if terms := h.checkOrder(t); len(terms) < 5 {
		t.Errorf("only the terms %v", terms)
	} else {
		t.Logf("the terms were %s", strings.Join(terms, " "))
	}
}

// checkOrder wants each writer and term in one piece, and the terms to grow. It returns them.
func (h *history) checkOrder(t *testing.T) []string {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	var terms []string
	last := -1
	for i, e := range h.entries {
		var number int
		if _, err := fmt.Sscan(e.term, &number); err != nil {
			t.Fatalf("term %q: %v", e.term, err)
		}
		switch same := i > 0 && e.writer == h.entries[i-1].writer && number == last; {
		case same:
		case number <= last:
			t.Errorf("version %s: %q writes in term %d, after term %d", e.version, e.writer, number, last)
		default:
			terms = append(terms, fmt.Sprintf("%d:%s", number, e.writer))
		}
		last = number
	}
	return terms
}
