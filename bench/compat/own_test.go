package compat

import (
	"os"
	"strings"
	"testing"
)

// mostOwnNames is how many names package cache may have that client-go does not have: each is one more to learn.
const mostOwnNames = 48

// TestOwnNamesOfCacheAreExplained holds that a name which users of client-go do not know is in the documentation.
func TestOwnNamesOfCacheAreExplained(t *testing.T) {
	pair := cachePairs[0]
	loaded := loadTypes(t, pair.Peer, pair.Own)
	page, err := os.ReadFile("../../docs/informers.md")
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	peer := loaded[pair.Peer].Scope()
	for _, name := range loaded[pair.Own].Scope().Names() {
		if obj := loaded[pair.Own].Scope().Lookup(name); !obj.Exported() || peer.Lookup(name) != nil {
			continue
		}
		own++
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/informers.md does not mention `%s`", name)
		}
	}
	if own > mostOwnNames {
		t.Errorf("package cache has %d names that client-go does not have, want at most %d", own, mostOwnNames)
	}
}
