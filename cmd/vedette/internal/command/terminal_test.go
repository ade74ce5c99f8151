package command

import (
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
)

// On a terminal the view is drawn again when something changes, and is left as it was when Ctrl-C comes.
func TestWatchDrawsAnew(t *testing.T) {
	server, kubeconfig := newServer(t, newPod("a", "node-a"), newPod("b", "node-b"))
	p := start(t, "watch", "pods", "--by", "node", "--kubeconfig", kubeconfig)
	at := p.out.wait(t, 0, "pods in default by node: 2 objects in 2 groups")
	put(t, server, newPod("c", "node-b"))
	at = p.out.wait(t, at, "3 objects in 2 groups")
	p.out.wait(t, at, "node-b         2")
	if code := p.interrupt(); code != exitOK {
		t.Errorf("exit status %d", code)
	}
	text := p.out.String()
	if strings.Count(text, "\x1b[?1049h") != 1 || strings.Count(text, "\x1b[?1049l") != 1 {
		t.Errorf("the terminal is not left as it was: %q", text)
	}
	_, after, _ := strings.Cut(text, "\x1b[?1049l")
	if strings.Contains(after, "\x1b") || !strings.Contains(after, "3 objects in 2 groups") {
		t.Errorf("the last view is %q", after)
	}
}

// An unreachable server is reported, and so is its recovery. The view stays.
func TestWatchReportsErrors(t *testing.T) {
	server, kubeconfig := newServer(t, newPod("a", "node-a"))
	p := start(t, "watch", "pods", "--kubeconfig", kubeconfig)
	at := p.out.wait(t, 0, "1 object")
	server.RefuseConnections()
	server.CutConnections()
	at = p.out.wait(t, at, "watch of pods failing since")
	at = p.out.wait(t, at, "1 object")
	if err := server.AcceptConnections(); err != nil {
		t.Fatal(err)
	}
	put(t, server, newPod("b", "node-a"))
	at = p.out.wait(t, at, "2 objects")
	p.out.wait(t, at, "Ctrl-C ends")
	if code := p.interrupt(); code != exitOK {
		t.Errorf("exit status %d", code)
	}
}

// The report names changes, managers and sizes, and no values of Secrets. Ctrl-C ends it early, with a report.
func TestChurn(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "login", UID: "2"}, Data: map[string][]byte{"password": []byte("hunter2")}}
	server, kubeconfig := newServer(t, newPod("a", "node-a"), newPod("b", "node-a"), secret)
	p := start(t, "churn", "pods", "secrets", "--for", "1h", "--kubeconfig", kubeconfig)
	at := p.err.wait(t, 0, "of 1h0m0s, 0 changes")
	modify(t, server, "a", "painter", func(pod *corev1.Pod) { pod.Labels = map[string]string{"colour": "red"} })
	modify(t, server, "a", "painter", func(pod *corev1.Pod) { pod.Labels = map[string]string{"colour": "blue"} })
	modify(t, server, "b", "kubelet", func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodFailed })
	secret = secret.DeepCopy()
	secret.Data["password"] = []byte("swordfish")
	put(t, server, secret)
	p.err.wait(t, at, "of 1h0m0s, 4 changes")
	if code := p.interrupt(); code != exitInterrupted {
		t.Errorf("exit status %d", code)
	}
	text := strings.Join(strings.Fields(p.out.String()), " ")
	for _, want := range []string{
		"4 changes in", "pods 2 3 ", "secrets 1 1 ", "painter 2 50 %", "kubelet 1 25 %", "pods metadata.labels 1", "pods metadata.labels[colour] 1",
		"pods status.phase 1", "secrets data[password] 1", "pods default/a 2 ", "secrets default/login 1 ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, p.out)
		}
	}
	for _, secret := range []string{"hunter2", "swordfish", "aHVudGVyMg", "c3dvcmRmaXNo"} {
		if strings.Contains(p.out.String()+p.err.String(), secret) {
			t.Errorf("%s is in the output", secret)
		}
	}
}

// A bar shows how far it is with filling, and Ctrl-C ends that.
func TestServeFillsWithABar(t *testing.T) {
	t.Chdir(t.TempDir())
	p := start(t, "serve", "--fill", "pods=2000")
	p.err.wait(t, 0, "2,000 of 2,000 pods")
	p.out.wait(t, 0, "Serving at https://127.0.0.1:")
	if code := p.interrupt(); code != exitOK {
		t.Errorf("exit status %d", code)
	}
	p = start(t, "serve", "--fill", "pods=10000000")
	p.err.wait(t, 0, "of 10,000,000 pods")
	if code := p.interrupt(); code != exitInterrupted {
		t.Errorf("exit status %d, %s", code, p.err)
	}
	if _, err := os.Stat("vedette.kubeconfig"); err == nil {
		t.Error("there is a kubeconfig of a server that never was")
	}
}

func TestColours(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	if !styleFor(true) || styleFor(false) {
		t.Error("colours are for terminals")
	}
	t.Setenv("NO_COLOR", "1")
	if styleFor(true) {
		t.Error("NO_COLOR is not heeded")
	}
}

// Faults of the server do not change what is seen in the end.
func TestWatchLinesThroughFaults(t *testing.T) {
	server, kubeconfig := newServer(t, newPod("a", "node-a"))
	if _, err := server.Inject(apitest.Fault{Match: apitest.Match{Verbs: []string{"watch"}, Resource: "pods"}, Effect: apitest.Cut, Times: 2, After: 1}); err != nil {
		t.Fatal(err)
	}
	p := start(t, "watch", "pods", "-o", "name", "--kubeconfig", kubeconfig)
	at := p.out.wait(t, 0, "pod/a\n")
	for _, name := range []string{"b", "c", "d"} {
		put(t, server, newPod(name, "node-a"))
		at = p.out.wait(t, at, "pod/"+name+"\n")
	}
	if code := p.interrupt(); code != exitOK || strings.Contains(p.err.String(), "vedette:") {
		t.Errorf("exit status %d, %s", code, p.err)
	}
}
