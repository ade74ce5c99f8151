package migrate

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestStoreOfTheProgram has stores that an older version of client-go accepts.
func TestStoreOfTheProgram(t *testing.T) {
	dir, _ := world(t)
	store := "package cache\n\ntype Store interface {\n\tAdd(any) error\n"
	write(t, filepath.Join(dir, "client-go/tools/cache/store.go"), store+"}\n")
	write(t, filepath.Join(dir, "vedette/cache/store.go"), store+"\tBookmark(string)\n\tLastStoreSyncResourceVersion() string\n\tGet() int\n}\n")
	write(t, filepath.Join(program(dir), "own/own.go"), "package own\n\ntype Store struct{}\n\nfunc (*Store) Add(any) error { return nil }\n\nfunc (*Store) Get() int { return 0 }\n")
	write(t, filepath.Join(program(dir), "use/use.go"), `package use

import (
	"example.com/program/own"
	"k8s.io/client-go/tools/cache"
)

var (
	one cache.Store = &own.Store{}
	two             = one.(*own.Store)
)
`)
	write(t, filepath.Join(program(dir), "use/use_test.go"), `package use_test

import "k8s.io/client-go/tools/cache"

type fake int

func (fake) Add(any) error { return nil }

func (fake) LastStoreSyncResourceVersion() string { return "1" }

func (fake) Get() int { return 0 }

var stores = []cache.Store{fake(1), fake(2)}
`)
	commit(t, dir)
	report, err := Apply(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	if !report.Builds || len(report.Methods) != 3 {
		t.Errorf("the report is %+v", report)
	}
	for name, want := range map[string]string{
		"own/own.go":      "func (*Store) Bookmark(string) {}\n func (*Store) LastStoreSyncResourceVersion() string { return \"\" }\n",
		"use/use_test.go": "func (fake) Bookmark(string) {}\n",
	} {
		text := read(t, filepath.Join(program(dir), name))
		for line := range strings.SplitSeq(want, "\n ") {
			if !strings.Contains(text, strings.TrimSpace(line)) {
				t.Errorf("%s is\n%s", name, text)
			}
		}
	}
}
