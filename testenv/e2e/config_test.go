package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/clientcmd"
	clientcmdapi "vedette.dev/clientcmd/api"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

// listNamespaces is the least that shows that a configuration works.
func listNamespaces(t testing.TB, config *rest.Config) error {
	t.Helper()
	client, err := kubernetes.NewForConfig(closing(t, config))
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{Limit: 1})
	return err
}

// Every context of the kubeconfig leads to the server: tokens, and a client certificate.
func TestKubeconfig(t *testing.T) {
	path := shared.Env(t).Kubeconfig()
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := listNamespaces(t, config); err != nil {
		t.Error(err)
	}
	raw, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name := range raw.Contexts {
		rules := &clientcmd.ClientConfigLoadingRules{ExplicitPath: path}
		config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: name}).ClientConfig()
		if err != nil {
			t.Fatal(err)
		}
		if err := listNamespaces(t, config); err != nil && !strings.Contains(err.Error(), "forbidden") {
			t.Errorf("context %s: %v", name, err)
		}
	}
}

const pluginTokenVariable = "VEDETTE_E2E_PLUGIN_TOKEN"

// runAsPlugin makes the test binary an exec plugin, if it was called as one.
func runAsPlugin() bool {
	token := os.Getenv(pluginTokenVariable)
	if token == "" {
		return false
	}
	if token == "hang" {
		time.Sleep(time.Hour)
	}
	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
		"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
		"status": map[string]any{"token": token},
	})
	return true
}

func pluginConfig(t testing.TB, token string) *rest.Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config := adminConfig(t)
	config.BearerToken = ""
	config.ExecProvider = &clientcmdapi.ExecConfig{
		Command: self, APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		Env: []clientcmdapi.ExecEnvVar{{Name: pluginTokenVariable, Value: token}},
	}
	return config
}

// An exec plugin's token opens the door; a wrong one does not, and is in no error.
func TestExecPlugin(t *testing.T) {
	if err := listNamespaces(t, pluginConfig(t, adminConfig(t).BearerToken)); err != nil {
		t.Error(err)
	}
	err := listNamespaces(t, pluginConfig(t, "wrong-token"))
	if err == nil || strings.Contains(err.Error(), "wrong-token") {
		t.Errorf("a wrong token: %v", err)
	}
}

// A plugin that hangs holds a request only as long as its context.
func TestExecPluginThatHangs(t *testing.T) {
	client, err := kubernetes.NewForConfig(closing(t, pluginConfig(t, "hang")))
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	_, err = client.CoreV1().Namespaces().List(within(t, 2*time.Second), metav1.ListOptions{})
	if err == nil || time.Since(begin) > 20*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// kubectl, where there is one, is a second opinion on the kubeconfig that we write.
func TestWrittenKubeconfig(t *testing.T) {
	raw, err := clientcmd.LoadFromFile(shared.Env(t).Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/config"
	if err := clientcmd.WriteToFile(*raw, path); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := listNamespaces(t, config); err != nil {
		t.Error(err)
	}
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		return
	}
	if out, err := exec.Command(kubectl, "--kubeconfig", path, "get", "namespaces").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// What is shown of a configuration is not what opens the door.
func TestConfigHidesItsToken(t *testing.T) {
	config := adminConfig(t)
	if text := fmt.Sprintf("%v %+v %#v", config, *config, config); strings.Contains(text, config.BearerToken) {
		t.Error("the token is shown")
	}
}
