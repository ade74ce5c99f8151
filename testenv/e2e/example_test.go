package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The program in examples/cluster runs as its first lines say.
func TestExamplePods(t *testing.T) {
	client := newClientset(t)
	ns := newNamespace(t, client)
	createPods(t, client, ns, 2)
	cmd := exec.CommandContext(t.Context(), "go", "run", "./examples/cluster/pods", "-n", ns, "-for", "1s")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "KUBECONFIG="+shared.Env(t).Kubeconfig(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "has 2 pods") || !strings.Contains(string(out), ns+"/pod-001") {
		t.Errorf("%v: %s", err, out)
	}
}
