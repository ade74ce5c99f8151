package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	peerrest "k8s.io/client-go/rest"
	peer "k8s.io/client-go/tools/clientcmd"
	peerapi "k8s.io/client-go/tools/clientcmd/api"

	own "vedette.dev/clientcmd"
	ownapi "vedette.dev/clientcmd/api"
	ownrest "vedette.dev/rest"
)

const kubeconfigHead = "clusters: [{name: c, cluster: {server: 'https://c:6443', certificate-authority-data: Q0E=}}, {name: h, cluster: {server: 'http://h'}}]\n"
const kubeconfigTail = "\ncontexts: [{name: a, context: {cluster: c, user: u, namespace: ns}}, {name: h, context: {cluster: h, user: u}}]\ncurrent-context: a\n"

// kubeconfigUser is a kubeconfig with a user of the name u.
func kubeconfigUser(user string) string {
	return kubeconfigHead + "users: [{name: u, user: " + user + "}]" + kubeconfigTail
}

// kubeconfigCluster is a kubeconfig with one cluster.
func kubeconfigCluster(cluster string) string {
	return "clusters: [{name: c, cluster: " + cluster + "}]\ncontexts: [{name: a, context: {cluster: c}}]\ncurrent-context: a\n"
}

// kubeconfigs are fed to both. With a reason, the results must differ: what is no longer a departure comes off the list.
var kubeconfigs = []struct{ name, text, departs string }{
	{"nothing", "", ""},
	{"comment", "# nothing", ""},
	{"null", "null", ""},
	{"text", "hello", ""},
	{"list", "[]", ""},
	{"no YAML", "a: b: c", ""},
	{"control character", "current-context: \x00", ""},
	{"another kind", "kind: Pod\napiVersion: v1", ""},
	{"another version", "kind: Config\napiVersion: v2", ""},
	{"kind without version", "kind: Config\n" + kubeconfigUser("{token: t}"), ""},
	{"version without kind", "apiVersion: v1\n" + kubeconfigUser("{token: t}"), ""},
	{"unknown fields", "x: y\n" + kubeconfigUser("{token: t, future: 1}"), ""},
	{"case of fields", "Users: []\n" + kubeconfigUser("{Token: t}"), ""},
	{"second document", kubeconfigUser("{token: t}") + "\n---\ncurrent-context: x", ""},
	{"two users", "users: [{name: u}, {name: u}]", ""},
	{"two extensions", "extensions: [{name: u, extension: 1}, {name: u, extension: 2}]", ""},
	{"null entries", "clusters: [null]\nusers: null\ncontexts: [{name: a}]", ""},
	{"number as token", kubeconfigUser("{token: 123}"), ""},
	{"text as list", "clusters: x", ""},
	{"bad base64", kubeconfigUser("{client-key-data: '%'}"), ""},
	{"token", kubeconfigUser("{token: t}"), ""},
	{"token and its file", kubeconfigUser("{token: t, tokenFile: DIR/token}"), ""},
	{"token file", kubeconfigUser("{tokenFile: token}"), ""},
	{"token file with a line end", kubeconfigUser("{tokenFile: line}"), "white space around a token is not part of it"},
	{"missing token file", kubeconfigUser("{tokenFile: missing}"), ""},
	{"basic", kubeconfigUser("{username: n, password: p}"), ""},
	{"basic and token", kubeconfigUser("{token: t, username: n}"), ""},
	{"certificate", kubeconfigUser("{client-certificate-data: Q1JU, client-key-data: S0VZ}"), ""},
	{"certificate files", kubeconfigUser("{client-certificate: token, client-key: ./token}"), ""},
	{"certificate without key", kubeconfigUser("{client-certificate-data: Q1JU}"), ""},
	{"key without certificate", kubeconfigUser("{client-key-data: S0VZ}"), ""},
	{"missing certificate", kubeconfigUser("{client-certificate: missing, client-key-data: S0VZ}"), ""},
	{"both forms of a certificate", kubeconfigUser("{client-certificate: token, client-certificate-data: Q1JU, client-key-data: S0VZ}"), ""},
	{"impersonation", kubeconfigUser("{token: t, as: b, as-uid: '7', as-groups: [g], as-user-extra: {k: [v]}}"), ""},
	{"impersonation of nobody", kubeconfigUser("{token: t, as-groups: [g]}"), ""},
	{"names of memory, not of disk", kubeconfigUser("{token: t, act-as: b}"), ""},
	{"exec v1beta1", kubeconfigUser("{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ./run, args: [a], env: [{name: x, value: z}], installHint: \"\\e[1m\"}}"), ""},
	{"exec v1 without mode", kubeconfigUser("{exec: {apiVersion: client.authentication.k8s.io/v1, command: run}}"), ""},
	{"exec without command", kubeconfigUser("{exec: {}}"), ""},
	{"exec and provider", kubeconfigUser("{auth-provider: {name: p}, exec: {apiVersion: client.authentication.k8s.io/v1, command: run, interactiveMode: Never}}"), ""},
	{"provider", kubeconfigUser("{auth-provider: {name: p, config: {a: b}}}"), ""},
	{"extensions", "preferences: {colors: true, extensions: [{name: e, extension: {a: [1, 2.5, x]}}]}\nextensions: [{name: n, extension: null}, {name: m, extension: <b>}]\n" + kubeconfigUser("{token: t}"), ""},
	{"exec extension", "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: run, interactiveMode: Never}}}]\nclusters: [{name: c, cluster: {server: 'https://c', extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: x}}]}}, {name: h, cluster: {server: 'http://h'}}]" + kubeconfigTail, ""},
	{"unknown current-context", kubeconfigHead + "current-context: x", ""},
	{"no current-context", kubeconfigHead, ""},
	{"user that does not exist", kubeconfigHead + kubeconfigTail, "client-go goes on as anonymous"},
	{"cluster that does not exist", "users: [{name: u}]" + kubeconfigTail, "client-go says that there is no kubeconfig, and takes the pod's"},
	{"cluster without server", kubeconfigCluster("{tls-server-name: x}"), ""},
	{"insecure", kubeconfigCluster("{server: 'https://c', insecure-skip-tls-verify: true, disable-compression: true, tls-server-name: x}"), ""},
	{"insecure with CA", kubeconfigCluster("{server: 'https://c', insecure-skip-tls-verify: true, certificate-authority-data: Q0E=}"), ""},
	{"CA file", kubeconfigCluster("{server: 'https://c', certificate-authority: token}"), ""},
	{"missing CA file", kubeconfigCluster("{server: 'https://c', certificate-authority: missing}"), ""},
	{"proxy", kubeconfigCluster("{server: 'https://c', proxy-url: 'socks5://u:p@x:1'}"), ""},
	{"bad proxy", kubeconfigCluster("{server: 'https://c', proxy-url: 'ftp://x'}"), ""},
	{"path and query", kubeconfigCluster("{server: 'https://c/p?q=1#f'}"), ""},
	{"query without path", kubeconfigCluster("{server: 'https://c/?q=1'}"), ""},
	{"host without scheme", kubeconfigCluster("{server: 'c:6443'}"), ""},
	{"JSON", `{"clusters":[{"name":"c","cluster":{"server":"https://c"}}],"contexts":[{"name":"a","context":{"cluster":"c"}}],"current-context":"a"}`, ""},
	{"JSON with surrogates", `{"current-context":"\ud83d\ude00"}`, "valid JSON is a kubeconfig even if it is not YAML"},
}

// overrideSets are tried on each kubeconfig.
var overrideSets = []struct {
	peer *peer.ConfigOverrides
	own  *own.ConfigOverrides
}{
	{nil, nil},
	{&peer.ConfigOverrides{CurrentContext: "h"}, &own.ConfigOverrides{CurrentContext: "h"}},
	{&peer.ConfigOverrides{CurrentContext: "zzz"}, &own.ConfigOverrides{CurrentContext: "zzz"}},
	{&peer.ConfigOverrides{Context: peerapi.Context{AuthInfo: "zzz"}}, &own.ConfigOverrides{Context: ownapi.Context{AuthInfo: "zzz"}}},
	{&peer.ConfigOverrides{Context: peerapi.Context{Cluster: "h", Namespace: "flag"}}, &own.ConfigOverrides{Context: ownapi.Context{Cluster: "h", Namespace: "flag"}}},
	{&peer.ConfigOverrides{AuthInfo: peerapi.AuthInfo{Token: "flag"}, Timeout: "5"}, &own.ConfigOverrides{AuthInfo: ownapi.AuthInfo{Token: "flag"}, Timeout: "5"}},
	{&peer.ConfigOverrides{ClusterInfo: peerapi.Cluster{Server: "https://flag"}}, &own.ConfigOverrides{ClusterInfo: ownapi.Cluster{Server: "https://flag"}}},
	{&peer.ConfigOverrides{ClusterInfo: peerapi.Cluster{InsecureSkipTLSVerify: true}}, &own.ConfigOverrides{ClusterInfo: ownapi.Cluster{InsecureSkipTLSVerify: true}}},
	{&peer.ConfigOverrides{ClusterDefaults: peerapi.Cluster{Server: "https://default"}}, &own.ConfigOverrides{ClusterDefaults: ownapi.Cluster{Server: "https://default"}}},
}

func TestKubeconfigsMeanTheSame(t *testing.T) {
	for _, name := range []string{"KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"} {
		t.Setenv(name, "")
	}
	dir := t.TempDir()
	writeTo(t, filepath.Join(dir, "token"), "from-file")
	writeTo(t, filepath.Join(dir, "line"), "from-file\n")
	for _, c := range kubeconfigs {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, "config")
			writeTo(t, path, strings.ReplaceAll(c.text, "DIR", dir))
			differences := compareKubeconfig(path)
			if c.departs == "" && len(differences) > 0 {
				t.Error(strings.Join(differences, "\n"))
			}
			if c.departs != "" && len(differences) == 0 {
				t.Errorf("there is no difference, but the list says: %s", c.departs)
			}
		})
	}
}

// compareKubeconfig lists in which views of a file the two differ.
func compareKubeconfig(path string) (differences []string) {
	same := func(what string, peer, own any) {
		if !reflect.DeepEqual(peer, own) {
			differences = append(differences, fmt.Sprintf("%s\n\tpeer: %v\n\town:  %v", what, peer, own))
		}
	}
	p, perr := peer.LoadFromFile(path)
	o, oerr := own.LoadFromFile(path)
	same("whether it can be loaded", perr == nil, oerr == nil)
	if perr != nil || oerr != nil {
		return differences
	}
	same("the config", asJSON(p), asJSON(o))
	ptext, perr := peer.Write(*p)
	otext, oerr := own.Write(*o)
	same("the text", fmt.Sprintf("%s %v", ptext, perr), fmt.Sprintf("%s %v", otext, oerr))
	same("validation", peerClass(peer.Validate(*p)), ownClass(own.Validate(*o)))
	same("usability", peerClass(peer.ConfirmUsable(*p, "")), ownClass(own.ConfirmUsable(*o, "")))
	for i, over := range overrideSets {
		what := fmt.Sprintf(" with overrides %d", i)
		pc := peer.NewNonInteractiveDeferredLoadingClientConfig(&peer.ClientConfigLoadingRules{ExplicitPath: path}, over.peer)
		oc := own.NewNonInteractiveDeferredLoadingClientConfig(&own.ClientConfigLoadingRules{ExplicitPath: path}, over.own)
		pconfig, perr := pc.ClientConfig()
		oconfig, oerr := oc.ClientConfig()
		same("the class of the error"+what, peerClass(perr), ownClass(oerr))
		if perr == nil && oerr == nil {
			same("the rest.Config"+what, peerView(pconfig), ownView(oconfig))
		}
		pns, pover, perr := pc.Namespace()
		ons, oover, oerr := oc.Namespace()
		same("the namespace"+what, fmt.Sprint(pns, pover, peerClass(perr)), fmt.Sprint(ons, oover, ownClass(oerr)))
	}
	return differences
}

func peerClass(err error) string {
	return fmt.Sprint("error ", err != nil, ", empty ", peer.IsEmptyConfig(err), ", no context ", peer.IsContextNotFound(err), ", invalid ", peer.IsConfigurationInvalid(err))
}

func ownClass(err error) string {
	return fmt.Sprint("error ", err != nil, ", empty ", own.IsEmptyConfig(err), ", no context ", own.IsContextNotFound(err), ", invalid ", own.IsConfigurationInvalid(err))
}

func peerView(c *peerrest.Config) string {
	return asJSON([]any{c.Host, c.Username, c.Password, c.BearerToken, c.BearerTokenFile, c.Impersonate, c.TLSClientConfig, c.DisableCompression,
		c.Timeout, c.AuthProvider, c.AuthConfigPersister != nil, c.ExecProvider, c.ExecProvider != nil && c.ExecProvider.Config != nil, proxyOf(c.Proxy)})
}

func ownView(c *ownrest.Config) string {
	return asJSON([]any{c.Host, c.Username, c.Password, c.BearerToken, c.BearerTokenFile, c.Impersonate, c.TLSClientConfig, c.DisableCompression,
		c.Timeout, c.AuthProvider, c.AuthConfigPersister != nil, c.ExecProvider, c.ExecProvider != nil && c.ExecProvider.Config != nil, proxyOf(c.Proxy)})
}

func proxyOf(proxy func(*http.Request) (*url.URL, error)) string {
	if proxy == nil {
		return ""
	}
	u, err := proxy(&http.Request{URL: &url.URL{}})
	return fmt.Sprint(u, err)
}

func asJSON(v any) string {
	text, err := json.MarshalIndent(v, "", " ")
	return fmt.Sprintf("%s %v", text, err)
}

func writeTo(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestKubeconfigFilesAreMergedAndModifiedAlike lets both make the same changes to the same files.
func TestKubeconfigFilesAreMergedAndModifiedAlike(t *testing.T) {
	texts := map[string]string{
		"one":   kubeconfigUser("{token: one, client-key: key}"),
		"two":   "preferences: {colors: true}\n" + strings.ReplaceAll(kubeconfigUser("{token: two}"), "name: u", "name: v") + "extensions: [{name: e, extension: 1}]",
		"three": "clusters: [{name: c, cluster: {server: hidden, proxy-url: 'http://p'}}, {name: d, cluster: {server: d}}]\ncurrent-context: other",
	}
	results := map[string][]byte{}
	for _, side := range []string{"peer", "own"} {
		dir := t.TempDir()
		for name, text := range texts {
			writeTo(t, filepath.Join(dir, name), text)
		}
		path := func(name string) string { return filepath.Join(dir, name) }
		t.Setenv("KUBECONFIG", strings.Join([]string{path("missing"), path("two"), path("one"), path("two"), path("three")}, string(filepath.ListSeparator)))
		var merged any
		var err error
		if side == "peer" {
			access := peer.NewDefaultPathOptions()
			config, _ := access.GetStartingConfig()
			merged = config.DeepCopy()
			config.Clusters["d"].Server, config.AuthInfos["u"].Token, config.CurrentContext = "changed", "changed", "h"
			config.Clusters["new"] = &peerapi.Cluster{Server: "new", CertificateAuthority: path("sub/ca")}
			config.Preferences.Colors = false
			delete(config.Contexts, "a")
			err = peer.ModifyConfig(access, *config, true)
		} else {
			access := own.NewDefaultPathOptions()
			config, _ := access.GetStartingConfig()
			merged = config.DeepCopy()
			config.Clusters["d"].Server, config.AuthInfos["u"].Token, config.CurrentContext = "changed", "changed", "h"
			config.Clusters["new"] = &ownapi.Cluster{Server: "new", CertificateAuthority: path("sub/ca")}
			config.Preferences.Colors = false
			delete(config.Contexts, "a")
			err = own.ModifyConfig(access, *config, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		result := []byte(asJSON(merged))
		for _, name := range []string{"one", "two", "three"} {
			text, err := os.ReadFile(path(name))
			if err != nil {
				t.Fatal(err)
			}
			result = append(append(result, "\n--- "+name+"\n"...), text...)
		}
		results[side] = bytes.ReplaceAll(result, []byte(dir), nil)
	}
	if !bytes.Equal(results["peer"], results["own"]) {
		t.Errorf("peer:\n%s\nown:\n%s", results["peer"], results["own"])
	}
}

// TestKubeconfigFlagsOfPflag binds the flags of both to a FlagSet of pflag.
func TestKubeconfigFlagsOfPflag(t *testing.T) {
	pset, oset := pflag.NewFlagSet("peer", pflag.ContinueOnError), pflag.NewFlagSet("own", pflag.ContinueOnError)
	p, o := peer.ConfigOverrides{}, own.ConfigOverrides{}
	peer.BindOverrideFlags(&p, pset, peer.RecommendedConfigOverrideFlags("x-"))
	own.BindOverrideFlags(&o, oset, own.RecommendedConfigOverrideFlags("x-"))
	names := 0
	pset.VisitAll(func(want *pflag.Flag) {
		names++
		got := oset.Lookup(want.Name)
		if got == nil {
			t.Errorf("--%s is missing", want.Name)
		} else if got.Shorthand != want.Shorthand || got.DefValue != want.DefValue || got.Value.Type() != want.Value.Type() || !reflect.DeepEqual(got.Annotations, want.Annotations) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	oset.VisitAll(func(*pflag.Flag) { names-- })
	if names != 0 {
		t.Errorf("%d flags are missing", names)
	}
	args := []string{"-n", "ns/a", "--x-token=t", "--x-as-group=g", "--x-as-group=h", "--x-insecure-skip-tls-verify", "--x-server", "s", "--x-context=c", "--x-request-timeout=1s"}
	if err := errors.Join(pset.Parse(args), oset.Parse(args)); err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(o), asJSON(p); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if ns, err := oset.GetString("x-namespace"); ns != "a" || err != nil {
		t.Errorf("namespace %q, %v", ns, err)
	}
}
