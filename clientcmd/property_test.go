package clientcmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// TestWriteLoadRoundTrip: what is written is what is read, and the same text again.
func TestWriteLoadRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := anyConfig.Draw(t, "config")
		text, err := Write(*config)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Load(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		for _, user := range config.AuthInfos {
			if user.Exec != nil {
				defaultExec(user.Exec)
			}
		}
		if !reflect.DeepEqual(read, config) {
			t.Fatalf("read %+v\nwant %+v\nfrom\n%s", read, config, text)
		}
		again, err := Write(*read)
		if err != nil || !bytes.Equal(again, text) {
			t.Fatalf("written again it differs: %v\n%s\n%s", err, text, again)
		}
	})
}

// TestMergeModel writes some files and names them in any order, with some that are missing, some twice and some empty
// names. The model: an entry is that of the first file that has the name, and nothing is added to it.
func TestMergeModel(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		files := map[string]*clientcmdapi.Config{}
		var list []string
		for i := range rapid.IntRange(0, 4).Draw(t, "files") {
			path := filepath.Join(dir, fmt.Sprint("file", i))
			config := anyConfig.Draw(t, "config")
			if err := WriteToFile(*config, path); err != nil {
				t.Fatal(err)
			}
			files[path] = config
			list = append(list, path)
		}
		list = append(list, rapid.SliceOfN(rapid.SampledFrom(append(slices.Clone(list), "", filepath.Join(dir, "missing"))), 0, 3).Draw(t, "more")...)
		list = rapid.Permutation(list).Draw(t, "order")
		var warned error
		rules := &ClientConfigLoadingRules{Precedence: list, DoNotResolvePaths: true, WarnIfAllMissing: true, Warner: func(err error) { warned = err }}
		got, err := rules.Load()
		if err != nil {
			t.Fatal(err)
		}
		want := model(list, files)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
		if missing := slices.Contains(list, filepath.Join(dir, "missing")); (warned != nil) != (missing && len(files) == 0) {
			t.Fatalf("the warning is %v", warned)
		}
		for path := range files {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func model(list []string, files map[string]*clientcmdapi.Config) *clientcmdapi.Config {
	want := clientcmdapi.NewConfig()
	for _, path := range slices.Backward(list) {
		config := files[path]
		if config == nil {
			continue
		}
		// From the last to the first: what comes earlier replaces what came later.
		for name, v := range config.Clusters {
			v.LocationOfOrigin = path
			want.Clusters[name] = v
		}
		for name, v := range config.AuthInfos {
			v.LocationOfOrigin = path
			if v.Exec != nil {
				defaultExec(v.Exec)
			}
			want.AuthInfos[name] = v
		}
		for name, v := range config.Contexts {
			v.LocationOfOrigin = path
			want.Contexts[name] = v
		}
		for name, v := range config.Extensions {
			want.Extensions[name] = v
		}
		for name, v := range config.Preferences.Extensions {
			put(&want.Preferences.Extensions, name, v)
		}
		if config.CurrentContext != "" {
			want.CurrentContext = config.CurrentContext
		}
		want.Preferences.Colors = want.Preferences.Colors || config.Preferences.Colors
	}
	return want
}
