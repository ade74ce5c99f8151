package clientcmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"k8s.io/apimachinery/pkg/runtime"

	clientcmdapi "vedette.dev/clientcmd/api"
)

func TestLoad(t *testing.T) {
	config := mustLoad(t, sample)
	if config.CurrentContext != "prod" || !config.Preferences.Colors || config.Kind+config.APIVersion != "" {
		t.Error(config)
	}
	wantCluster := &clientcmdapi.Cluster{
		Server: "https://prod.example:6443", CertificateAuthorityData: []byte("CA"), TLSServerName: "api.prod",
		Extensions: map[string]runtime.Object{
			execExtension: &runtime.Unknown{Raw: []byte(`{"audience":"prod"}`), ContentType: runtime.ContentTypeJSON},
		},
	}
	if got := config.Clusters["prod"]; !reflect.DeepEqual(got, wantCluster) {
		t.Errorf("got %v, want %v", got, wantCluster)
	}
	wantUser := &clientcmdapi.AuthInfo{
		Impersonate: "boss", ImpersonateUID: "7", ImpersonateGroups: []string{"g1", "g2"},
		ImpersonateUserExtra: map[string][]string{"reason": {"x"}},
		Exec: &clientcmdapi.ExecConfig{
			APIVersion: "client.authentication.k8s.io/v1beta1", Command: "get-token", Args: []string{"a"},
			Env:                []clientcmdapi.ExecEnvVar{{Name: "NAME", Value: "VALUE"}},
			ProvideClusterInfo: true, InteractiveMode: clientcmdapi.IfAvailableExecInteractiveMode,
		},
		Extensions: map[string]runtime.Object{},
	}
	if got := config.AuthInfos["exec"]; !reflect.DeepEqual(got, wantUser) {
		t.Errorf("got %v, want %v", got, wantUser)
	}
	wantContext := &clientcmdapi.Context{Cluster: "prod", AuthInfo: "token", Namespace: "team", Extensions: map[string]runtime.Object{}}
	if got := config.Contexts["prod"]; !reflect.DeepEqual(got, wantContext) {
		t.Errorf("got %v, want %v", got, wantContext)
	}
}

func TestLoadOddButValid(t *testing.T) {
	utf16le := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune("current-context: é😀")) {
		utf16le = append(utf16le, byte(unit), byte(unit>>8))
	}
	for name, c := range map[string]struct{ text, context string }{
		"nothing":              {"", ""},
		"a comment":            {"# nothing\n", ""},
		"null":                 {"null", ""},
		"an empty mapping":     {"{}", ""},
		"no kind":              {"current-context: x", "x"},
		"kind alone":           {"kind: Config\ncurrent-context: x", "x"},
		"unknown fields":       {"future: {a: [1]}\ncurrent-context: x", "x"},
		"case matters":         {"Current-Context: y\ncurrent-context: x", "x"},
		"JSON":                 {`{"apiVersion":"v1","kind":"Config","current-context":"x"}`, "x"},
		"JSON with tabs":       {"{\n\t\"current-context\":\t\"x\"\n}\n", "x"},
		"JSON surrogates":      {`{"current-context":"\ud83d\ude00"}`, "😀"},
		"UTF-8 BOM":            {"\ufeffcurrent-context: x", "x"},
		"UTF-16":               {string(utf16le), "é😀"},
		"CRLF":                 {"kind: Config\r\ncurrent-context: x\r\n", "x"},
		"a second document":    {"current-context: x\n---\ncurrent-context: y\n", "x"},
		"anchors":              {"a: &a x\ncurrent-context: *a", "x"},
		"an empty entry":       {"clusters: [null]\ncurrent-context: x", "x"},
		"lists that are null":  {"clusters: null\nusers: null\ncurrent-context: x", "x"},
		"an extension of null": {"extensions: [{name: a, extension: null}, {name: b}]\ncurrent-context: x", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			config := mustLoad(t, c.text)
			if config.CurrentContext != c.context {
				t.Errorf("current-context %q, want %q", config.CurrentContext, c.context)
			}
			if config.Clusters == nil || config.AuthInfos == nil || config.Contexts == nil {
				t.Error("a map is nil")
			}
		})
	}
}

func TestLoadErrors(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 10) + "]\n"
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"no YAML":             {"a: b: c", []string{"not valid YAML", "mapping values are not allowed"}},
		"line number":         {"kind: Config\nclusters:\n- name: a\n cluster: {}", []string{"line 3", "did not find expected key"}},
		"tabs":                {"clusters:\n\t- name: a", []string{"not valid YAML", "line 2"}},
		"NUL":                 {"current-context: \x00", []string{"control characters are not allowed"}},
		"not UTF-8":           {"current-context: \xff\xfe", []string{"UTF-8"}},
		"JSON not UTF-8":      {`{"current-context":"` + "\xff" + `"}`, []string{"UTF-8"}},
		"alias bomb":          {bomb, []string{"excessive aliasing"}},
		"alias of itself":     {"a: &a [*a]", []string{"not valid YAML"}},
		"deep nesting":        {strings.Repeat("[", 100_000), []string{"not valid YAML"}},
		"deep JSON":           {`{"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}", []string{"not valid YAML"}},
		"text":                {"hello", []string{"want a mapping, found string"}},
		"a list":              {"[1, 2]", []string{"want a mapping, found array"}},
		"another kind":        {"apiVersion: v1\nkind: Pod", []string{`kind "Pod"`, "not a kubeconfig"}},
		"another version":     {"apiVersion: v2\nkind: Config", []string{`apiVersion "v2"`, "want kind Config of apiVersion v1"}},
		"clusters a mapping":  {"clusters: {a: b}", []string{"clusters: want a list, found object"}},
		"a cluster a string":  {"clusters: [prod]", []string{"cluster 1 of the list", "want a mapping, found string"}},
		"a number for a name": {"users: [{name: 7}]", []string{"user 1 of the list", "name: want a string (quote it), found number"}},
		"token a number":      {"users: [{user: {token: 123456}, name: u}]", []string{`user "u"`, "user.token: want a string"}},
		"insecure a string":   {`clusters: [{name: c, cluster: {insecure-skip-tls-verify: "yes"}}]`, []string{`cluster "c"`, "want true or false"}},
		"exec a list":         {"users: [{name: u, user: {exec: []}}]", []string{`user "u"`, "user.exec: want a mapping"}},
		"CA not base64":       {"clusters: [{name: c, cluster: {certificate-authority-data: '%%%'}}]", []string{`cluster "c"`, "certificate-authority-data is not base64"}},
		"key not base64":      {"users: [{name: u, user: {client-key-data: '%%%'}}]", []string{`user "u"`, "client-key-data is not base64"}},
		"cert not base64":     {"users: [{name: u, user: {client-certificate-data: '%%%'}}]", []string{`user "u"`, "client-certificate-data is not base64"}},
		"two clusters":        {"clusters: [{name: c}, {name: c}]", []string{`duplicate cluster "c"`}},
		"two users":           {"users: [{name: u}, {name: u}]", []string{`duplicate user "u"`}},
		"two contexts":        {"contexts: [{name: x}, {name: x}]", []string{`duplicate context "x"`}},
		"two extensions":      {"contexts: [{name: x, context: {extensions: [{name: e, extension: 1}, {name: e, extension: 2}]}}]", []string{`context "x"`, `duplicate extension "e"`}},
		"bad preferences":     {"preferences: {extensions: [{name: 1}]}", []string{"preferences", "extension 1 of the list"}},
		"bad extension":       {"extensions: [7]", []string{"extension 1 of the list"}},
		"a key of a kind":     {"? [a]\n: b", []string{"not valid YAML"}},
		"unquoted asterisk":   {"users: [{name: u, user: {password: *x}}]", []string{"begins with * must be quoted"}},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := Load([]byte(c.text))
			if config != nil {
				t.Error("there is a config")
			}
			wantError(t, err, c.want...)
		})
	}
}

func TestLoadTooLarge(t *testing.T) {
	_, err := Load(make([]byte, maxFileSize+1))
	wantError(t, err, "too large")
	path := file(t, "config", "")
	if err := os.Truncate(path, maxFileSize+1); err != nil {
		t.Fatal(err)
	}
	_, err = LoadFromFile(path)
	wantError(t, err, path, "too large")
}

func TestLoadFromFile(t *testing.T) {
	path := file(t, "config", sample)
	config, err := LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, origin := range []string{
		config.Clusters["prod"].LocationOfOrigin, config.AuthInfos["token"].LocationOfOrigin, config.Contexts["prod"].LocationOfOrigin,
	} {
		if origin != path {
			t.Errorf("origin %q, want %q", origin, path)
		}
	}
}

func TestLoadFromFileErrors(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	_, err := LoadFromFile(missing)
	wantError(t, err, missing)
	if !os.IsNotExist(err) {
		t.Error("os.IsNotExist does not know the error")
	}
	_, err = LoadFromFile(dir)
	wantError(t, err, dir, "directory")
	_, err = LoadFromFile("a\x00b")
	wantError(t, err, "invalid argument")
	broken := fileIn(t, dir, "broken", "a: b: c")
	_, err = LoadFromFile(broken)
	wantError(t, err, broken, "not valid YAML")
	if os.Geteuid() > 0 {
		secret := fileIn(t, dir, "secret", sample)
		if err := os.Chmod(secret, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadFromFile(secret); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("no permission: %v", err)
		}
	}
}
