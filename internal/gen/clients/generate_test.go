package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vedette.dev/internal/gen/api"
)

const kubernetes = "../../../kubernetes"

func TestFilesOnDiskAreUpToDate(t *testing.T) {
	files, err := generate(kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files.Changed(kubernetes) {
		t.Errorf("kubernetes/%s is not what the generator makes: run go generate ./kubernetes", name)
	}
	stale, err := files.Stale(kubernetes, generated...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stale {
		t.Errorf("kubernetes/%s is no longer generated: run go generate ./kubernetes", name)
	}
}

func TestRunWritesAndRemoves(t *testing.T) {
	out := t.TempDir()
	stale := filepath.Join(out, "typed", "gone", "v1", "client.go")
	written := filepath.Join(out, "typed", "gone", "v1", "expansion.go")
	if err := os.MkdirAll(filepath.Dir(stale), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{stale, written} {
		if err := os.WriteFile(name, []byte("package v1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(out); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("the client of a group that is gone is still there: %v", err)
	}
	if _, err := os.Stat(written); err != nil {
		t.Errorf("a hand-written file is gone: %v", err)
	}
	if _, err := os.Stat(filepath.Join(out, "typed", "core", "v1", "client.go")); err != nil {
		t.Error(err)
	}
}

func TestEmbeds(t *testing.T) {
	tests := []struct {
		verbs api.Verbs
		want  []string
	}{
		{api.AllVerbs, []string{"gentype.Interface[*T, *L]", "gentype.StatusInterface[*T]"}},
		{nil, nil},
		{api.Verbs{"create", "updateStatus"}, []string{"gentype.Creator[*T]", "gentype.StatusUpdater[*T]"}},
		{api.Verbs{"update", "delete", "deleteCollection", "get", "list", "watch", "patch", "apply", "applyStatus"}, []string{
			"gentype.Updater[*T]", "gentype.Deleter", "gentype.CollectionDeleter", "gentype.Getter[*T]", "gentype.Lister[*L]",
			"gentype.Watcher", "gentype.Patcher[*T]", "gentype.Applier[*T]", "gentype.StatusApplier[*T]",
		}},
	}
	for _, tt := range tests {
		if got := embeds(tt.verbs, "T", "L"); !slices.Equal(got, tt.want) {
			t.Errorf("embeds(%v) = %v, want %v", tt.verbs, got, tt.want)
		}
	}
}
