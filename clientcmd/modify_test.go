package clientcmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	clientcmdapi "vedette.dev/clientcmd/api"
)

const first = `
current-context: one
clusters: [{name: one, cluster: {server: 'https://1', certificate-authority: ca/one}}]
users: [{name: one, user: {token: "1", client-key: keys/one}}]
contexts: [{name: one, context: {cluster: one, user: one}}]
`

const second = `
current-context: two
preferences: {colors: true}
clusters: [{name: two, cluster: {server: 'https://2'}}, {name: one, cluster: {server: 'https://hidden'}}]
users: [{name: two, user: {token: "2"}}]
contexts: [{name: two, context: {cluster: two, user: two}}]
extensions: [{name: e, extension: {kept: true}}]
`

// twoFiles are the files of KUBECONFIG, and the options for them.
func twoFiles(t *testing.T) (one, two string, options *PathOptions) {
	outside(t)
	dir := t.TempDir()
	one, two = fileIn(t, dir, "one", first), fileIn(t, dir, "two", second)
	t.Setenv("KUBECONFIG", one+string(filepath.ListSeparator)+two)
	return one, two, NewDefaultPathOptions()
}

// modify changes the config, and checks that it is then loaded as it was meant, but for origins.
func modify(t *testing.T, access ConfigAccess, relativize bool, change func(*clientcmdapi.Config)) {
	t.Helper()
	config, err := access.GetStartingConfig()
	if err != nil {
		t.Fatal(err)
	}
	change(config)
	if err := ModifyConfig(access, *config, relativize); err != nil {
		t.Fatal(err)
	}
	for _, file := range access.GetLoadingPrecedence() {
		if _, err := os.Lstat(file + ".lock"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the lock of %s is still there", file)
		}
	}
}

func load(t *testing.T, path string) *clientcmdapi.Config {
	t.Helper()
	config, err := LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func TestModifyConfigWritesBackWhereItCameFrom(t *testing.T) {
	one, two, options := twoFiles(t)
	modify(t, options, false, func(c *clientcmdapi.Config) {
		c.CurrentContext = "two"
		c.Clusters["two"].Server = "https://2b"
		c.AuthInfos["one"].Token = "1b"
		c.Contexts["two"].Namespace = "ns"
		c.Clusters["new"] = &clientcmdapi.Cluster{Server: "https://new"}
		c.AuthInfos["new"] = &clientcmdapi.AuthInfo{Token: "new"}
		c.Contexts["new"] = &clientcmdapi.Context{Cluster: "new", AuthInfo: "new"}
		delete(c.AuthInfos, "two")
	})
	a, b := load(t, one), load(t, two)
	if a.CurrentContext != "two" || b.CurrentContext != "two" {
		t.Errorf("current-context %q, %q", a.CurrentContext, b.CurrentContext)
	}
	if a.Clusters["new"] == nil || a.AuthInfos["new"] == nil || a.Contexts["new"] == nil || b.Clusters["new"] != nil {
		t.Errorf("new entries are not in the first file: %v, %v", a, b)
	}
	if b.Clusters["two"].Server != "https://2b" || a.Clusters["two"] != nil || b.Contexts["two"].Namespace != "ns" {
		t.Errorf("changes are not in the second file: %v", b)
	}
	if a.AuthInfos["one"].Token != "1b" || a.AuthInfos["one"].ClientKey != "keys/one" {
		t.Errorf("the change is not in the first file: %v", a)
	}
	if b.AuthInfos["two"] != nil || b.Clusters["one"].Server != "https://hidden" || b.Extensions["e"] == nil || !b.Preferences.Colors {
		t.Errorf("the second file: %v", b)
	}
}

func TestModifyConfigDeletes(t *testing.T) {
	one, two, options := twoFiles(t)
	modify(t, options, false, func(c *clientcmdapi.Config) {
		delete(c.Clusters, "one")
		delete(c.Contexts, "two")
	})
	config, err := options.GetStartingConfig()
	if err != nil {
		t.Fatal(err)
	}
	// What the first file hid comes to light.
	if got := config.Clusters["one"]; got == nil || got.Server != "https://hidden" || got.LocationOfOrigin != two {
		t.Errorf("cluster one: %v", got)
	}
	if config.Contexts["two"] != nil || load(t, one).Contexts["one"] == nil {
		t.Errorf("contexts: %v", config)
	}
}

func TestModifyConfigCurrentContext(t *testing.T) {
	one, two, options := twoFiles(t)
	for _, want := range []struct{ one, two string }{{"", "two"}, {"", ""}} {
		modify(t, options, false, func(c *clientcmdapi.Config) { c.CurrentContext = "" })
		if a, b := load(t, one), load(t, two); a.CurrentContext != want.one || b.CurrentContext != want.two {
			t.Errorf("%q, %q, want %v", a.CurrentContext, b.CurrentContext, want)
		}
	}
	options.LoadingRules.ExplicitPath = two
	for _, name := range []string{"x", ""} {
		modify(t, options, false, func(c *clientcmdapi.Config) { c.CurrentContext = name })
		if got := load(t, two).CurrentContext; got != name {
			t.Errorf("explicit file: %q, want %q", got, name)
		}
	}
}

func TestModifyConfigPreferences(t *testing.T) {
	one, two, options := twoFiles(t)
	modify(t, options, false, func(c *clientcmdapi.Config) { c.Preferences.Colors = false })
	if load(t, one).Preferences.Colors || load(t, two).Preferences.Colors {
		t.Error("the colours are still there")
	}
	modify(t, options, false, func(c *clientcmdapi.Config) { c.Preferences.Colors = true })
	if !load(t, one).Preferences.Colors {
		t.Error("no colours")
	}
}

func TestModifyConfigRelativizes(t *testing.T) {
	one, _, options := twoFiles(t)
	dir := filepath.Dir(one)
	modify(t, options, true, func(c *clientcmdapi.Config) {
		c.Clusters["one"].CertificateAuthority = filepath.Join(dir, "new", "ca")
		c.AuthInfos["one"].ClientKey = filepath.Join(filepath.Dir(dir), "key")
		c.AuthInfos["new"] = &clientcmdapi.AuthInfo{TokenFile: filepath.Join(dir, "token")}
	})
	got := load(t, one)
	if ca := got.Clusters["one"].CertificateAuthority; ca != filepath.Join("new", "ca") {
		t.Errorf("within the folder: %s", ca)
	}
	if key := got.AuthInfos["one"].ClientKey; key != filepath.Join(filepath.Dir(dir), "key") {
		t.Errorf("outside of it: %s", key)
	}
	if token := got.AuthInfos["new"].TokenFile; token != "token" {
		t.Errorf("in a new entry: %s", token)
	}
}

// TestModifyConfigKnowsNamesOfOneFile: two names of a file must not lead to two versions of it.
func TestModifyConfigKnowsNamesOfOneFile(t *testing.T) {
	one, _, options := twoFiles(t)
	link := one + "-link"
	if err := os.Symlink(one, link); err != nil {
		t.Skip(err)
	}
	modify(t, options, false, func(c *clientcmdapi.Config) {
		c.Clusters["a"] = &clientcmdapi.Cluster{Server: "https://a", LocationOfOrigin: link}
		c.AuthInfos["b"] = &clientcmdapi.AuthInfo{Token: "b", LocationOfOrigin: filepath.Join(filepath.Dir(one), ".", "one")}
		c.Contexts["c"] = &clientcmdapi.Context{Cluster: "a"}
	})
	if got := load(t, one); got.Clusters["a"] == nil || got.AuthInfos["b"] == nil || got.Contexts["c"] == nil {
		t.Error(got)
	}
}

func TestModifyConfigNothingToDo(t *testing.T) {
	one, _, options := twoFiles(t)
	before, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	modify(t, options, true, func(*clientcmdapi.Config) {})
	if after, err := os.ReadFile(one); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("the file is written: %v", err)
	}
}

func TestModifyConfigErrors(t *testing.T) {
	one, two, options := twoFiles(t)
	for want, change := range map[string]func(*clientcmdapi.Config){
		`cluster "c" is nil`: func(c *clientcmdapi.Config) { c.Clusters["c"] = nil },
		`user "u" is nil`:    func(c *clientcmdapi.Config) { c.AuthInfos["u"] = nil },
		`context "x" is nil`: func(c *clientcmdapi.Config) { c.Contexts["x"] = nil },
		filepath.Dir(one) + ": ": func(c *clientcmdapi.Config) {
			c.Clusters["d"] = &clientcmdapi.Cluster{LocationOfOrigin: filepath.Dir(one)}
		},
	} {
		config, err := options.GetStartingConfig()
		if err != nil {
			t.Fatal(err)
		}
		config.CurrentContext = "changed"
		change(config)
		wantError(t, ModifyConfig(options, *config, false), want)
		if load(t, one).CurrentContext != "one" {
			t.Errorf("%s: something was written", want)
		}
	}
	if err := os.WriteFile(two, []byte("a: b: c"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantError(t, ModifyConfig(options, clientcmdapi.Config{}, false), two, "not valid YAML")
	rules := &ClientConfigLoadingRules{}
	wantError(t, ModifyConfig(rules, clientcmdapi.Config{CurrentContext: "x"}, false), "no file")
	wantError(t, ModifyConfig(rules, clientcmdapi.Config{Preferences: clientcmdapi.Preferences{Colors: true}}, false), "no config found to write preferences")
	getter := &ClientConfigGetter{func() (*clientcmdapi.Config, error) { return Load([]byte("current-context: x")) }}
	wantError(t, ModifyConfig(getter, clientcmdapi.Config{}, false), "no config found to write context")
}

func TestPersister(t *testing.T) {
	outside(t)
	path := file(t, "config", "users: [{name: u, user: {auth-provider: {name: p, config: {a: b}}}}, {name: v}]")
	rules := &ClientConfigLoadingRules{ExplicitPath: path}
	if err := PersisterForUser(rules, "u").Persist(map[string]string{"c": "d"}); err != nil {
		t.Fatal(err)
	}
	if got := load(t, path).AuthInfos["u"].AuthProvider.Config; !reflect.DeepEqual(got, map[string]string{"c": "d"}) {
		t.Error(got)
	}
	for _, user := range []string{"v", "nobody"} {
		if err := PersisterForUser(rules, user).Persist(nil); err != nil {
			t.Errorf("%s: %v", user, err)
		}
	}
	if err := os.WriteFile(path, []byte("a: b: c"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantError(t, PersisterForUser(rules, "u").Persist(nil), path)
}

func TestGetConfigFromFileOrDie(t *testing.T) {
	if got := GetConfigFromFileOrDie(filepath.Join(t.TempDir(), "missing")); !clientcmdapi.IsConfigEmpty(got) {
		t.Error(got)
	}
	if got := GetConfigFromFileOrDie(file(t, "config", sample)); got.CurrentContext != "prod" {
		t.Error(got)
	}
}
