package api

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func twoOfEach() *Config {
	config := NewConfig()
	config.CurrentContext = "a"
	for _, name := range []string{"a", "b"} {
		config.Clusters["cluster-"+name] = &Cluster{Server: "https://" + name}
		config.AuthInfos["user-"+name] = &AuthInfo{Token: name}
		config.Contexts[name] = &Context{Cluster: "cluster-" + name, AuthInfo: "user-" + name}
	}
	return config
}

func TestMinifyConfig(t *testing.T) {
	config := twoOfEach()
	if err := MinifyConfig(config); err != nil {
		t.Fatal(err)
	}
	want := twoOfEach()
	delete(want.Clusters, "cluster-b")
	delete(want.AuthInfos, "user-b")
	delete(want.Contexts, "b")
	if !reflect.DeepEqual(config, want) {
		t.Errorf("got %v\nwant %v", config, want)
	}
	config.Contexts["a"].AuthInfo = ""
	if err := MinifyConfig(config); err != nil || len(config.AuthInfos) != 0 || len(config.Clusters) != 1 {
		t.Errorf("a context without a user: %v, %v", config, err)
	}
}

func TestMinifyConfigErrors(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"without a current-context":                       func(c *Config) { c.CurrentContext = "" },
		`current-context "nowhere" does not exist`:        func(c *Config) { c.CurrentContext = "nowhere" },
		`cluster "nowhere" of context "a" does not exist`: func(c *Config) { c.Contexts["a"].Cluster = "nowhere" },
		`user "nobody" of context "a" does not exist`:     func(c *Config) { c.Contexts["a"].AuthInfo = "nobody" },
	} {
		config := twoOfEach()
		change(config)
		before := config.DeepCopy()
		if err := MinifyConfig(config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if !reflect.DeepEqual(config, before) {
			t.Errorf("%s: the config has changed", want)
		}
	}
}

func TestFlattenConfig(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ca", "crt", "key"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("the "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	origin := filepath.Join(dir, "config")
	config := NewConfig()
	config.Clusters["c"] = &Cluster{LocationOfOrigin: origin, CertificateAuthority: "ca"}
	config.AuthInfos["u"] = &AuthInfo{LocationOfOrigin: origin, ClientCertificate: filepath.Join(dir, "crt"), ClientKey: "./key"}
	config.AuthInfos["empty"], config.Clusters["nil"] = &AuthInfo{}, nil
	if err := FlattenConfig(config); err != nil {
		t.Fatal(err)
	}
	cluster, user := config.Clusters["c"], config.AuthInfos["u"]
	if cluster.CertificateAuthority != "" || string(cluster.CertificateAuthorityData) != "the ca" {
		t.Error(cluster)
	}
	if user.ClientCertificate+user.ClientKey != "" || string(user.ClientCertificateData) != "the crt" || string(user.ClientKeyData) != "the key" {
		t.Error(user)
	}

	user.ClientKey = "key"
	if err := FlattenConfig(config); err == nil || !strings.Contains(err.Error(), `user "u": both the path key and its contents`) {
		t.Errorf("path and data: %v", err)
	}
	user.ClientKey, user.ClientKeyData = "missing", nil
	if err := FlattenConfig(config); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "missing")) {
		t.Errorf("no file: %v", err)
	}
}

func TestIsConfigEmpty(t *testing.T) {
	if !IsConfigEmpty(NewConfig()) || !IsConfigEmpty(&Config{}) {
		t.Error("nothing is not empty")
	}
	full := filled[Config](t, "x")
	for i := range reflect.TypeFor[Config]().NumField() {
		name := reflect.TypeFor[Config]().Field(i).Name
		one := NewConfig()
		reflect.ValueOf(one).Elem().Field(i).Set(reflect.ValueOf(full).Elem().Field(i))
		// A kind is a form, and no contents.
		if want := name == "Kind" || name == "APIVersion"; IsConfigEmpty(one) != want {
			t.Errorf("with %s it is empty: %t", name, !want)
		}
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct{ path, base, resolved string }{
		{"", "/base", ""}, {"a/b", "/base", "/base/a/b"}, {"../a", "/base", "/a"}, {"/a", "/base", "/a"},
	} {
		if got := ResolvePath(c.path, c.base); got != filepath.FromSlash(c.resolved) {
			t.Errorf("ResolvePath(%q, %q) = %q", c.path, c.base, got)
		}
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := MakeAbs("a", ""); err != nil || got != filepath.Join(wd, "a") {
		t.Errorf("MakeAbs from here: %q, %v", got, err)
	}
	if got, err := MakeAbs("a", "/base"); err != nil || got != filepath.FromSlash("/base/a") {
		t.Errorf("MakeAbs from a base: %q, %v", got, err)
	}
}
