package clientcmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// sample has one of everything, and a context for each cluster.
const sample = `
apiVersion: v1
kind: Config
current-context: prod
preferences:
  colors: true
clusters:
- name: prod
  cluster:
    server: https://prod.example:6443
    certificate-authority-data: Q0E=
    tls-server-name: api.prod
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: prod}
- name: local
  cluster: {server: "http://localhost:8080"}
users:
- name: token
  user: {token: s3cret}
- name: cert
  user: {client-certificate-data: Q1JU, client-key-data: S0VZ}
- name: exec
  user:
    as: boss
    as-uid: "7"
    as-groups: [g1, g2]
    as-user-extra: {reason: [x]}
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: get-token
      args: [a]
      env: [{name: NAME, value: VALUE}]
      provideClusterInfo: true
contexts:
- name: prod
  context: {cluster: prod, user: token, namespace: team}
- name: prod-cert
  context: {cluster: prod, user: cert}
- name: prod-exec
  context: {cluster: prod, user: exec}
- name: local
  context: {cluster: local, user: token}
- name: bare
  context: {cluster: prod}
`

// outside makes sure that no environment of the machine is seen.
func outside(t *testing.T) {
	for _, name := range []string{"KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "POD_NAMESPACE"} {
		t.Setenv(name, "")
	}
}

func mustLoad(t *testing.T, text string) *clientcmdapi.Config {
	t.Helper()
	config, err := Load([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// file writes a file into a new folder, and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	return fileIn(t, t.TempDir(), name, text)
}

func fileIn(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantError fails unless err says all of the words.
func wantError(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", words)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error %q does not say %q", err, word)
		}
	}
}
