package suites

import "testing"

// corruptible are the specs of pkg/cache that check that a caller can change an object in the cache. Objects in packed storage are made
// for each reader, and cannot be changed.
var corruptible = []string{
	"Informer Cache without global DeepCopy Cache test as a Reader with structured objects should not deep copy the object if UnsafeDisableDeepCopy is enabled",
	"Informer Cache without global DeepCopy Cache test as a Reader with unstructured objects should not deep copy the object if UnsafeDisableDeepCopy is enabled",
	"Informer Cache without global DeepCopy Cache test as a Reader with metadata-only objects should not deep copy the object if UnsafeDisableDeepCopy is enabled",
	"Informer Cache without global DeepCopy Cache test using UnsafeDisableDeepCopy with GetOptions should be able to change object in informer cache",
	"Informer Cache Cache test using UnsafeDisableDeepCopy with GetOptions should be able to change object in informer cache",
	"Multi-Namespace Informer Cache Cache test using UnsafeDisableDeepCopy with GetOptions should be able to change object in informer cache",
}

const specs = 276

// TestCache runs the tests of pkg/cache with live and with packed storage.
func TestCache(t *testing.T) {
	s := newSource(t)
	const pkg = "pkg/cache"
	for _, name := range []string{"cache_test.go", "informer_cache_test.go"} {
		s.replace(t, pkg+"/"+name, "= cache.New(", "= bridgedNew(", "(cache.New,", "(bridgedNew,")
	}
	s.add(t, pkg+"/bridged_test.go", `package cache_test

import (
	"os"

	"vedette.dev/bridge"
	"vedette.dev/bridge/ctrl"
	"vedette.dev/cache"
)

var bridgedNew = ctrl.NewCacheWith(bridge.Options{Storage: cache.Storage{Packed: os.Getenv("BRIDGE_STORAGE") == "packed"}})
`)
	program := s.compile(t, pkg)
	for storage, failing := range map[string][]string{"live": nil, "packed": corruptible} {
		t.Run(storage, func(t *testing.T) {
			t.Parallel()
			s.run(t, pkg, program, specs-len(failing), failing, "BRIDGE_STORAGE="+storage)
		})
	}
}
