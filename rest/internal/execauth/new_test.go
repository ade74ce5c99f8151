package execauth

import (
	"runtime"
	"strings"
	"testing"
	"time"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	clientcmdapi "vedette.dev/clientcmd/api"
)

func TestEqualConfigsShareAnAuthenticator(t *testing.T) {
	base := func() (*clientcmdapi.ExecConfig, *Cluster) {
		return &clientcmdapi.ExecConfig{
			Command: "x", Args: []string{"a"}, Env: []clientcmdapi.ExecEnvVar{{Name: "n", Value: "v"}}, APIVersion: apiV1,
			InteractiveMode: clientcmdapi.NeverExecInteractiveMode, ProvideClusterInfo: true,
		}, &Cluster{Server: "s", Config: &k8sruntime.Unknown{Raw: []byte(`{}`)}}
	}
	make := func(change func(*clientcmdapi.ExecConfig, *Cluster)) *Authenticator {
		exec, cluster := base()
		change(exec, cluster)
		a, err := New(exec, cluster)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	same := make(func(*clientcmdapi.ExecConfig, *Cluster) {})
	if make(func(*clientcmdapi.ExecConfig, *Cluster) {}) != same {
		t.Error("equal configs have different authenticators")
	}
	all := []*Authenticator{same}
	for i, change := range []func(*clientcmdapi.ExecConfig, *Cluster){
		func(e *clientcmdapi.ExecConfig, _ *Cluster) { e.Command = "y" },
		func(e *clientcmdapi.ExecConfig, _ *Cluster) { e.Args = []string{"b"} },
		func(e *clientcmdapi.ExecConfig, _ *Cluster) { e.Env[0].Value = "w" },
		func(e *clientcmdapi.ExecConfig, _ *Cluster) { e.InstallHint = "h" },
		func(e *clientcmdapi.ExecConfig, _ *Cluster) { e.StdinUnavailable = true },
		func(e *clientcmdapi.ExecConfig, _ *Cluster) {
			e.PluginPolicy = clientcmdapi.PluginPolicy{PolicyType: clientcmdapi.PluginPolicyDenyAll}
		},
		func(_ *clientcmdapi.ExecConfig, c *Cluster) { c.Server = "t" },
		func(_ *clientcmdapi.ExecConfig, c *Cluster) { c.Config = &k8sruntime.Unknown{Raw: []byte(`{"a":1}`)} },
	} {
		a := make(change)
		for j, other := range all {
			if a == other {
				t.Errorf("change %d makes the same authenticator as %d", i+1, j)
			}
		}
		all = append(all, a)
	}
	apart := func(server string) *Authenticator {
		return make(func(e *clientcmdapi.ExecConfig, c *Cluster) { e.ProvideClusterInfo, c.Server = false, server })
	}
	if a := apart("s"); a != apart("t") {
		t.Error("a plugin that is told nothing about the cluster has an authenticator for each")
	}
	runtime.KeepAlive(all)
	all, same = nil, nil
	for range 200 {
		if runtime.GC(); authenticators.Len() == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d authenticators are left to which nothing refers", authenticators.Len())
}

func TestNewRejectsBadConfigs(t *testing.T) {
	good := clientcmdapi.ExecConfig{Command: "x", APIVersion: apiV1, InteractiveMode: clientcmdapi.NeverExecInteractiveMode}
	for want, change := range map[string]func(*clientcmdapi.ExecConfig){
		"command is empty":          func(e *clientcmdapi.ExecConfig) { e.Command = "" },
		`invalid apiVersion ""`:     func(e *clientcmdapi.ExecConfig) { e.APIVersion = "" },
		"interactiveMode is empty":  func(e *clientcmdapi.ExecConfig) { e.InteractiveMode = "" },
		"unknown interactiveMode":   func(e *clientcmdapi.ExecConfig) { e.InteractiveMode = "Maybe" },
		"there is no cluster":       func(e *clientcmdapi.ExecConfig) { e.ProvideClusterInfo = true },
		`unknown plugin policy "?"`: func(e *clientcmdapi.ExecConfig) { e.PluginPolicy.PolicyType = "?" },
	} {
		e := good
		change(&e)
		if _, err := New(&e, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if _, err := New(nil, nil); err == nil {
		t.Error("no error without a config")
	}
	bad := good
	bad.ProvideClusterInfo = true
	if _, err := New(&bad, &Cluster{Config: &k8sruntime.Unknown{Raw: []byte("{")}}); err == nil {
		t.Error("no error for a cluster that cannot be encoded")
	}
}
