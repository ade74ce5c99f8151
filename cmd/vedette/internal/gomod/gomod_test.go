package gomod

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhereVedetteComesFrom(t *testing.T) {
	source := t.TempDir()
	if err := os.WriteFile(filepath.Join(source, "go.mod"), []byte("module vedette.dev\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, from, version, folder, want string
		m                                 Module
	}{
		{name: "nothing", want: "does not require vedette.dev"},
		{name: "required", m: Module{Required: map[string]string{Vedette: "v1.2.3"}}, version: "v1.2.3"},
		{name: "replaced", m: Module{Replaces: map[string]string{Vedette: "../vedette"}}, version: "v0.0.0"},
		{name: "a version", from: "v1.2.3", version: "v1.2.3"},
		{name: "a folder", from: source, version: "v0.0.0", folder: source},
		{name: "another folder", from: t.TempDir(), want: "neither a version nor a folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.m.Vedette(c.from)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("the error is %v, want one with %q", err, c.want)
				}
				return
			}
			if err != nil || got != (Origin{c.version, c.folder}) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
