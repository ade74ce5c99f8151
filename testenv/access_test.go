//go:build unix

package testenv

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"vedette.dev/clientcmd"
	"vedette.dev/rest"
)

func TestUsers(t *testing.T) {
	e := shared.Env(t)
	for _, c := range []struct {
		name string
		cfg  *rest.Config
		user string
		list int
	}{
		{"token", e.RESTConfig(), AdminUser, http.StatusOK},
		{"certificate", e.CertRESTConfig(), AdminUser, http.StatusOK},
		{"plain", e.PlainRESTConfig(), PlainUser, http.StatusForbidden},
		{"context admin", fromKubeconfig(t, e, "admin"), AdminUser, http.StatusOK},
		{"context admin-cert", fromKubeconfig(t, e, "admin-cert"), AdminUser, http.StatusOK},
		{"context user", fromKubeconfig(t, e, "user"), PlainUser, http.StatusForbidden},
		{"no context", fromKubeconfig(t, e, ""), AdminUser, http.StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			if user := whoAmI(t, c.cfg); user != c.user {
				t.Errorf("the API server knows this user as %q, want %q", user, c.user)
			}
			if code, body := do(t, c.cfg, http.MethodGet, configMaps, nil); code != c.list {
				t.Errorf("list: %d, want %d: %s", code, c.list, body)
			}
		})
	}
}

func fromKubeconfig(t *testing.T, e *Env, context string) *rest.Config {
	t.Helper()
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: e.Kubeconfig()},
		&clientcmd.ConfigOverrides{CurrentContext: context}).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func whoAmI(t *testing.T, cfg *rest.Config) string {
	t.Helper()
	review := map[string]string{"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
	code, body := do(t, cfg, http.MethodPost, "/apis/authentication.k8s.io/v1/selfsubjectreviews", review)
	var answer struct {
		Status struct{ UserInfo struct{ Username string } }
	}
	decode(t, body, &answer)
	if code != http.StatusCreated {
		t.Errorf("self subject review: %d %s", code, body)
	}
	return answer.Status.UserInfo.Username
}

func TestUnknownUser(t *testing.T) {
	cfg := shared.Env(t).RESTConfig()
	cfg.BearerToken = "no-such-token"
	if code, _ := do(t, cfg, http.MethodGet, configMaps, nil); code != http.StatusUnauthorized {
		t.Errorf("%d, want %d", code, http.StatusUnauthorized)
	}
}

// Changing a returned config does not change other copies.
func TestConfigsAreCopies(t *testing.T) {
	e := shared.Env(t)
	first := e.RESTConfig()
	first.BearerToken, first.CAData[0] = "changed", 'X'
	if second := e.RESTConfig(); second.BearerToken == "changed" || second.CAData[0] == 'X' {
		t.Error("two configs share their content")
	}
}

// The tokens of service accounts are signed with a key of ours.
func TestServiceAccountTokens(t *testing.T) {
	admin := shared.Env(t).RESTConfig()
	const accounts = "/api/v1/namespaces/default/serviceaccounts"
	code, body := do(t, admin, http.MethodPost, accounts, map[string]any{"metadata": map[string]string{"name": "robot"}})
	if code != http.StatusCreated {
		t.Fatalf("creating the account: %d %s", code, body)
	}
	code, body = do(t, admin, http.MethodPost, accounts+"/robot/token", map[string]any{})
	var answer struct{ Status struct{ Token string } }
	decode(t, body, &answer)
	if code != http.StatusCreated {
		t.Fatalf("asking for a token: %d %s", code, body)
	}
	robot := rest.AnonymousClientConfig(admin)
	robot.BearerToken = answer.Status.Token
	if user := whoAmI(t, robot); user != "system:serviceaccount:default:robot" {
		t.Errorf("the token is taken for %q", user)
	}
}

// A second opinion on the kubeconfig file.
func TestKubectl(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("kubectl is not installed")
	}
	e := shared.Env(t)
	for context, want := range map[string]string{"": "yes", "admin": "yes", "admin-cert": "yes", "user": "no"} {
		out, _ := exec.CommandContext(t.Context(), kubectl, // exits with 1 to say no
			"--kubeconfig", e.Kubeconfig(), "--context", context, "auth", "can-i", "list", "pods").CombinedOutput()
		if strings.TrimSpace(string(out)) != want {
			t.Errorf("context %q: may list pods? %s, want %s", context, out, want)
		}
	}
}
