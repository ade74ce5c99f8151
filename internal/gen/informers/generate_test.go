package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFilesOnDiskAreUpToDate(t *testing.T) {
	for name, target := range targets {
		out := filepath.Join("../../..", name)
		files, err := target.files(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files.Changed(out) {
			t.Errorf("%s/%s is not what the generator makes: run go generate ./%s", name, file, name)
		}
		stale, err := files.Stale(out, target.generated...)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range stale {
			t.Errorf("%s/%s is no longer generated: run go generate ./%s", name, file, name)
		}
	}
}

func TestRunWritesAndRemoves(t *testing.T) {
	out := t.TempDir()
	stale := filepath.Join(out, "gone", "v1", listersFile)
	written := filepath.Join(out, "core", "v1", "expansion.go")
	for name, content := range map[string]string{stale: "package v1\n", written: "package v1\n\ntype PodListerExpansion interface{ More() }\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := run("listers", out); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("the listers of a group that is gone are still there: %v", err)
	}
	if _, err := os.Stat(written); err != nil {
		t.Errorf("a hand-written file is gone: %v", err)
	}
	if err := run("typists", out); err == nil {
		t.Error("a wrong argument was accepted")
	}
}
