package execauth

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	clientcmdapi "vedette.dev/clientcmd/api"
)

func TestStdinRules(t *testing.T) {
	const never, ifAvailable, always = clientcmdapi.NeverExecInteractiveMode, clientcmdapi.IfAvailableExecInteractiveMode, clientcmdapi.AlwaysExecInteractiveMode
	for _, test := range []struct {
		mode                  clientcmdapi.ExecInteractiveMode
		terminal, unavailable bool
		want                  bool
		err                   string
	}{
		{never, true, false, false, ""},
		{never, false, true, false, ""},
		{ifAvailable, true, false, true, ""},
		{ifAvailable, false, false, false, ""},
		{ifAvailable, true, true, false, ""},
		{always, true, false, true, ""},
		{always, false, false, false, "not a terminal"},
		{always, true, true, false, "standard input is unavailable: used for a manifest"},
	} {
		rules := newStdinRules(&clientcmdapi.ExecConfig{
			InteractiveMode: test.mode, StdinUnavailable: test.unavailable, StdinUnavailableMessage: "used for a manifest"})
		got, err := rules.interactive(test.terminal)
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%+v: %t, %v", test, got, err)
		}
	}
	if r := newStdinRules(&clientcmdapi.ExecConfig{APIVersion: apiV1Beta1}); r.mode != ifAvailable {
		t.Errorf("the default of v1beta1 is %q", r.mode)
	}
	if _, err := (stdinRules{mode: always, unavailable: true}).interactive(true); err == nil || strings.HasSuffix(err.Error(), ": ") {
		t.Errorf("without a message: %v", err)
	}
}

func TestIsTerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	writer.Close()
	for name, f := range map[string]*os.File{"the null device": null, "a file": file, "a pipe": reader, "a closed file": writer} {
		if isTerminal(f) {
			t.Errorf("%s is taken for a terminal", name)
		}
	}
}

// program puts an executable file somewhere.
func program(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPluginPolicy(t *testing.T) {
	dir := t.TempDir()
	inPath := program(t, dir+"/bin/plugin")
	elsewhere := program(t, dir+"/evil/plugin")
	program(t, dir+"/bin/other")
	t.Setenv("PATH", dir+"/bin")
	allow := func(commands ...string) (p clientcmdapi.PluginPolicy) {
		p.PolicyType = clientcmdapi.PluginPolicyAllowlist
		for _, c := range commands {
			p.Allowlist = append(p.Allowlist, clientcmdapi.AllowlistEntry{Command: c})
		}
		return p
	}
	for _, test := range []struct {
		command string
		policy  clientcmdapi.PluginPolicy
		want    string // the path, or "" when it may not run
	}{
		{"plugin", clientcmdapi.PluginPolicy{}, inPath},
		{elsewhere, clientcmdapi.PluginPolicy{PolicyType: clientcmdapi.PluginPolicyAllowAll}, elsewhere},
		{"plugin", clientcmdapi.PluginPolicy{PolicyType: clientcmdapi.PluginPolicyDenyAll}, ""},
		{"plugin", allow("plugin"), inPath},
		{"plugin", allow("other", inPath), inPath},
		{inPath, allow("plugin"), inPath},
		{inPath, allow(inPath), inPath},
		{elsewhere, allow("plugin"), ""},
		{elsewhere, allow(inPath), ""},
		{"plugin", allow(elsewhere), ""},
		{"plugin", allow("other"), ""},
	} {
		got, err := resolve(test.command, test.policy)
		if got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%q with %v: %q, %v, want %q", test.command, test.policy, got, err, test.want)
		}
	}
	if _, err := resolve("missing", allow("missing")); err == nil || !strings.Contains(err.Error(), exec.ErrNotFound.Error()) {
		t.Errorf("a plugin that is not there: %v", err)
	}
}

func TestPolicyIsEnforced(t *testing.T) {
	f := newFixture(t, "print").prints(tokenAnswer("one"))
	f.config.PluginPolicy.PolicyType = clientcmdapi.PluginPolicyDenyAll
	if text := f.start().fails(); !strings.Contains(text, "may not be run") {
		t.Errorf("the error is %q", text)
	}
	f.runs(0)
}

func TestValidatePolicy(t *testing.T) {
	entries := func(commands ...string) []clientcmdapi.AllowlistEntry {
		list := []clientcmdapi.AllowlistEntry{}
		for _, c := range commands {
			list = append(list, clientcmdapi.AllowlistEntry{Command: c})
		}
		return list
	}
	for _, test := range []struct {
		kind clientcmdapi.PolicyType
		list []clientcmdapi.AllowlistEntry
		want string
	}{
		{"", nil, ""},
		{clientcmdapi.PluginPolicyAllowAll, nil, ""},
		{clientcmdapi.PluginPolicyDenyAll, nil, ""},
		{clientcmdapi.PluginPolicyAllowlist, entries("a", "/b/c"), ""},
		{"", entries("a"), "there is an allowlist"},
		{clientcmdapi.PluginPolicyDenyAll, entries(), "there is an allowlist"},
		{clientcmdapi.PluginPolicyAllowlist, nil, "the allowlist is empty"},
		{clientcmdapi.PluginPolicyAllowlist, entries(), "the allowlist is empty"},
		{clientcmdapi.PluginPolicyAllowlist, entries("a", ""), "entry 2 of the plugin allowlist is empty"},
		{clientcmdapi.PluginPolicyAllowlist, entries("/a/../b"), `write it as "/b"`},
		{"AllowSome", nil, "unknown plugin policy"},
	} {
		err := validatePolicy(clientcmdapi.PluginPolicy{PolicyType: test.kind, Allowlist: test.list})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestRedactor(t *testing.T) {
	r := newRedactor(&clientcmdapi.ExecConfig{
		Args: []string{"get-token", "--password=hunter22", "-v", "hunter"},
		Env:  []clientcmdapi.ExecEnvVar{{Name: "KEY", Value: "swordfish"}, {Name: "N", Value: "1"}},
	})
	for in, want := range map[string]string{
		"plain words, and /usr/local/bin/plugin version 1": "plain words, and /usr/local/bin/plugin version 1",
		"swordfish":                           redacted,
		"unknown flag: --password=hunter22":   "unknown flag: " + redacted,
		"password hunter22 is wrong":          "password " + redacted + " is wrong",
		"Bearer 0123456789abcdef0123456789":   "Bearer " + redacted,
		"AKIAIOSFODNN7EXAMPLE/wJalrXUtnFEMI1": redacted,
		"internationalization-of-things":      "internationalization-of-things",
	} {
		if got := r.clean(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	long := strings.Repeat("word ", 1000)
	if got := lastWords(long + "end"); len(got) > maxShown+3 || !strings.HasPrefix(got, "...word") || !strings.HasSuffix(got, "word end") {
		t.Errorf("long text was cut to %q", got)
	}
	tail := &tailBuffer{}
	for range 100 {
		_, _ = tail.Write([]byte(long))
	}
	if len(tail.data) != maxKept || cap(tail.data) > 4*maxKept {
		t.Errorf("kept %d bytes in %d", len(tail.data), cap(tail.data))
	}
}
