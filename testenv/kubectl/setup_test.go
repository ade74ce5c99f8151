//go:build unix

package kubectl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/clientcmd"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

// server is one of the two.
type server struct {
	config, plain *rest.Config
	kubeconfig    string // as the server itself gives it out
}

// session is one run of one script.
type session struct {
	program    string
	ctx        context.Context
	steady     *strings.Replacer
	transcript *strings.Builder
	watches    map[string]*watch
}

// sessionKey is where a script has its session.
type sessionKey struct{}

func sessionOf(ts *testscript.TestScript) *session { return ts.Value(sessionKey{}).(*session) }

// setUp gives a script its namespace, and a home in which kubectl can keep what it learned about the server.
func setUp(env *testscript.Env, name, program string, s *server, transcript *strings.Builder) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	env.Defer(cancel)
	if err := createNamespace(ctx, s.config, name); err != nil {
		return err
	}
	kubeconfig, err := writeContexts(env.WorkDir, name, s)
	if err != nil {
		return err
	}
	env.Setenv("KUBECONFIG", kubeconfig)
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("NAMESPACE", name)
	env.Values[sessionKey{}] = &session{
		program:    program,
		ctx:        ctx,
		steady:     strings.NewReplacer(s.config.Host, "https://SERVER", strings.TrimPrefix(s.config.Host, "https://"), "SERVER", env.WorkDir, "$WORK"),
		transcript: transcript,
		watches:    map[string]*watch{},
	}
	return nil
}

func createNamespace(ctx context.Context, config *rest.Config, name string) error {
	hc, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	defer hc.CloseIdleConnections()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

const contexts = `apiVersion: v1
kind: Config
current-context: script
contexts:
- name: script
  context: {cluster: %[1]s, user: %[2]s, namespace: %[3]s}
- name: plain
  context: {cluster: %[1]s, user: plain-user, namespace: %[3]s}
users:
- name: plain-user
  user: {token: %[4]s}
`

// writeContexts adds to the server's own kubeconfig, in a file before it, the namespace and a user with few rights.
func writeContexts(dir, namespace string, s *server) (string, error) {
	theirs, err := clientcmd.LoadFromFile(s.kubeconfig)
	if err != nil {
		return "", err
	}
	current := theirs.Contexts[theirs.CurrentContext]
	content := fmt.Sprintf(contexts, current.Cluster, current.AuthInfo, namespace, s.plain.BearerToken)
	file := filepath.Join(dir, ".kubeconfig")
	list := file + string(os.PathListSeparator) + s.kubeconfig
	return list, os.WriteFile(file, []byte(content), 0o600)
}
