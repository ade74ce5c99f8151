package clientcmd

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	clientcmdapi "vedette.dev/clientcmd/api"
)

func TestDefaultRules(t *testing.T) {
	outside(t)
	rules := NewDefaultClientConfigLoadingRules()
	if !reflect.DeepEqual(rules.Precedence, []string{RecommendedHomeFile}) || rules.WarnIfAllMissing {
		t.Errorf("%+v", rules)
	}
	list := func(files ...string) string { return strings.Join(files, string(filepath.ListSeparator)) }
	t.Setenv("KUBECONFIG", list("a", "b", "a", "", "c"))
	rules = NewDefaultClientConfigLoadingRules()
	if want := []string{"a", "b", "", "c"}; !reflect.DeepEqual(rules.Precedence, want) || !rules.WarnIfAllMissing {
		t.Errorf("%+v", rules)
	}
	got := rules.GetLoadingPrecedence()
	got[0] = "changed"
	if rules.Precedence[0] != "a" {
		t.Error("GetLoadingPrecedence hands out the rules' own list")
	}
}

func TestRulesWarn(t *testing.T) {
	dir := t.TempDir()
	missing := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	var warned []error
	rules := &ClientConfigLoadingRules{Precedence: missing, WarnIfAllMissing: true, Warner: func(err error) { warned = append(warned, err) }}
	config, err := rules.Load()
	if err != nil || !clientcmdapi.IsConfigEmpty(config) {
		t.Errorf("%v, %v", config, err)
	}
	if len(warned) != 1 || !reflect.DeepEqual(warned[0], MissingConfigError{Missing: missing}) {
		t.Errorf("warned of %v", warned)
	}
	wantError(t, warned[0], "Config not found: "+missing[0]+", "+missing[1])
	rules.Warner = nil
	if _, err := rules.Load(); err != nil {
		t.Error(err)
	}
}

func TestRulesTellOfEveryBadFile(t *testing.T) {
	dir := t.TempDir()
	bad1, bad2 := fileIn(t, dir, "bad1", "a: b: c"), fileIn(t, dir, "bad2", "clusters: 7")
	rules := &ClientConfigLoadingRules{Precedence: []string{bad1, fileIn(t, dir, "good", sample), bad2}}
	config, err := rules.Load()
	wantError(t, err, bad1, bad2)
	if config == nil || config.CurrentContext != "prod" {
		t.Error("the good file is not loaded")
	}
	if _, err := rules.GetStartingConfig(); err == nil {
		t.Error("the starting config has no error")
	}
}

func TestRulesResolvePaths(t *testing.T) {
	dir := t.TempDir()
	one := fileIn(t, dir, "x/one", "clusters: [{name: a, cluster: {certificate-authority: ca}}]\nusers: [{name: a, user: {client-key: ../key, client-certificate: /abs, tokenFile: t, exec: {command: ./bin/run}}}]")
	two := fileIn(t, dir, "y/two", "clusters: [{name: a, cluster: {certificate-authority: other}}, {name: b, cluster: {certificate-authority: ca}}]\nusers: [{name: b, user: {exec: {command: run}}}]")
	rules := &ClientConfigLoadingRules{Precedence: []string{one, two}}
	config, err := rules.Load()
	if err != nil {
		t.Fatal(err)
	}
	a, b := config.AuthInfos["a"], config.AuthInfos["b"]
	for _, c := range []struct{ got, want string }{
		{config.Clusters["a"].CertificateAuthority, filepath.Join(dir, "x/ca")},
		{config.Clusters["b"].CertificateAuthority, filepath.Join(dir, "y/ca")},
		{a.ClientKey, filepath.Join(dir, "key")},
		{a.ClientCertificate, "/abs"},
		{a.TokenFile, filepath.Join(dir, "x/t")},
		{a.Exec.Command, filepath.Join(dir, "x/bin/run")},
		{b.Exec.Command, "run"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	rules.DoNotResolvePaths = true
	if config, err = rules.Load(); err != nil || config.Clusters["a"].CertificateAuthority != "ca" {
		t.Errorf("%v, %v", config, err)
	}
}

func TestRulesStartingConfigAndFilenames(t *testing.T) {
	dir := t.TempDir()
	missing, there := filepath.Join(dir, "missing"), fileIn(t, dir, "there", sample)
	for _, c := range []struct {
		rules ClientConfigLoadingRules
		want  string
	}{
		{ClientConfigLoadingRules{}, ""},
		{ClientConfigLoadingRules{Precedence: []string{missing, there}}, there},
		{ClientConfigLoadingRules{Precedence: []string{missing}}, missing},
		{ClientConfigLoadingRules{Precedence: []string{there}, ExplicitPath: missing}, missing},
	} {
		if got := c.rules.GetDefaultFilename(); got != c.want {
			t.Errorf("%+v: %s", c.rules, got)
		}
	}
	explicit := &ClientConfigLoadingRules{ExplicitPath: missing}
	if config, err := explicit.GetStartingConfig(); err != nil || !clientcmdapi.IsConfigEmpty(config) {
		t.Errorf("%v, %v", config, err)
	}
	if !explicit.IsExplicitFile() || explicit.GetExplicitFile() != missing {
		t.Error("not explicit")
	}
	if _, err := explicit.Load(); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestMigrate(t *testing.T) {
	dir := t.TempDir()
	source, destination := fileIn(t, dir, "old", sample), filepath.Join(dir, "new")
	if err := os.Chmod(source, 0o740); err != nil {
		t.Fatal(err)
	}
	rules := &ClientConfigLoadingRules{Precedence: []string{destination}, MigrationRules: map[string]string{destination: source}}
	if config, err := rules.Load(); err != nil || config.CurrentContext != "prod" {
		t.Errorf("%v, %v", config, err)
	}
	if info, err := os.Stat(destination); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(destination, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if config, err := rules.Load(); err != nil || config.CurrentContext != "" {
		t.Errorf("a file that is there is replaced: %v, %v", config, err)
	}
	folder := &ClientConfigLoadingRules{MigrationRules: map[string]string{filepath.Join(dir, "x"): dir}}
	_, err := folder.Load()
	wantError(t, err, "because it is a directory")
	nothing := &ClientConfigLoadingRules{MigrationRules: map[string]string{filepath.Join(dir, "x"): filepath.Join(dir, "y")}}
	if err := nothing.Migrate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []map[string]string{
		{filepath.Join(source, "x"): source}, {filepath.Join(dir, "x"): filepath.Join(source, "y")}, {filepath.Join(dir, "none", "x"): source},
	} {
		if err := (&ClientConfigLoadingRules{MigrationRules: bad}).Migrate(); err == nil {
			t.Errorf("%v is no error", bad)
		}
	}
}

func TestPathOptions(t *testing.T) {
	outside(t)
	dir := t.TempDir()
	a, b, global := filepath.Join(dir, "a"), filepath.Join(dir, "b"), fileIn(t, dir, "global", "current-context: global")
	options := NewDefaultPathOptions()
	if options.GlobalFile != RecommendedHomeFile || options.GlobalFileSubpath != filepath.Join(".kube", "config") || options.LoadingRules.ResolvePaths() {
		t.Errorf("%+v", options)
	}
	options.GlobalFile = global
	check := func(name string, precedence []string, def, context string) {
		t.Helper()
		if got := options.GetLoadingPrecedence(); !reflect.DeepEqual(got, precedence) {
			t.Errorf("%s: precedence %v", name, got)
		}
		if got := options.GetDefaultFilename(); got != def {
			t.Errorf("%s: default %s", name, got)
		}
		if config, err := options.GetStartingConfig(); err != nil || config.CurrentContext != context {
			t.Errorf("%s: %v, %v", name, config, err)
		}
	}
	check("no variable", []string{global}, global, "global")
	t.Setenv("KUBECONFIG", a+string(filepath.ListSeparator)+b)
	check("neither file exists", []string{a, b}, b, "")
	fileIn(t, dir, "a", "current-context: a")
	check("one exists", []string{a, b}, a, "a")
	t.Setenv("KUBECONFIG", b)
	check("one that does not exist", []string{b}, b, "")
	options.LoadingRules.ExplicitPath = a
	check("explicit", []string{a}, a, "a")
	options.LoadingRules.ExplicitPath, options.EnvVar = "", ""
	check("no name of a variable", []string{global}, global, "global")
	if got := options.GetEnvVarFiles(); got == nil || len(got) != 0 {
		t.Errorf("%#v", got)
	}
}

func TestRelativize(t *testing.T) {
	base := t.TempDir()
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{CertificateAuthority: filepath.Join(base, "x", "ca")}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{ClientKey: filepath.Join(filepath.Dir(base), "key"), TokenFile: filepath.Dir(base)}
	config.Clusters["nil"], config.AuthInfos["nil"] = nil, nil
	if err := RelativizeConfigPaths(config, base); err != nil {
		t.Fatal(err)
	}
	if got := config.Clusters["c"].CertificateAuthority; got != filepath.Join("x", "ca") {
		t.Error(got)
	}
	if u := config.AuthInfos["u"]; u.ClientKey != filepath.Join(filepath.Dir(base), "key") || u.TokenFile != filepath.Dir(base) || u.ClientCertificate != "" {
		t.Errorf("%+v", u)
	}
	if err := ResolveConfigPaths(config, base); err != nil || config.Clusters["c"].CertificateAuthority != filepath.Join(base, "x", "ca") {
		t.Errorf("%v, %v", config.Clusters["c"], err)
	}
	if err := ResolveLocalPaths(config); err != nil {
		t.Error(err)
	}
	path := "../x"
	wantError(t, RelativizePathWithNoBacksteps([]*string{&path}, "base"), "requires backsteps")
	wantError(t, RelativizePathWithNoBacksteps([]*string{&path}, base), base)
	wantError(t, RelativizeClusterLocalPaths(&clientcmdapi.Cluster{Server: "s"}), "no location of origin", "s")
	wantError(t, RelativizeAuthInfoLocalPaths(&clientcmdapi.AuthInfo{Username: "u"}), "no location of origin", "u")
}

func TestWindowsHome(t *testing.T) {
	dir := t.TempDir()
	with := func(name string) string { return filepath.Dir(filepath.Dir(fileIn(t, dir, name+"/.kube/config", ""))) }
	empty := func(name string) string { return filepath.Dir(fileIn(t, dir, name+"/x", "")) }
	a, b, c, d := with("a"), with("b"), empty("c"), empty("d")
	notFolder, missing := filepath.Join(c, "x"), filepath.Join(dir, "missing")
	for _, test := range []struct{ home, drivePath, profile, want string }{
		{a, b, "", a}, {c, a, b, a}, {c, d, b, b}, {c, d, "", c}, {"", c, d, d}, {"", c, "", c},
		{missing, c, "", c}, {notFolder, missing, "", notFolder}, {missing, "", "", missing}, {"", "", "", ""},
	} {
		if got := windowsHome(test.home, test.drivePath, test.profile); got != test.want {
			t.Errorf("%v: %s", test, got)
		}
	}
}

func TestWarnerIsCalled(t *testing.T) {
	var got error
	want := errors.New("x")
	WarningHandler(func(err error) { got = err }).Warn(want)
	if got != want {
		t.Error(got)
	}
}
