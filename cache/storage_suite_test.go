package cache

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

var storageFlag = flag.String("storage", "", "how the informers of the tests store objects: live, or one of those in storages")

// storages are the ways in which the tests of the informer are run, beside the usual one. Of a projection they see nothing: all
// fields that they look at are kept.
var storages = map[string]Storage{
	"packed":    {Packed: true},
	"projected": {Packed: true, Keep: []string{"metadata", "spec", "status", "data"}},
	"dropped":   {Drop: []string{DropManagedFields}},
	"shared":    {Shared: true},
}

// newStoredInformer is NewSharedIndexInformerWithOptions with the storage of the test run.
func newStoredInformer(lw ListerWatcher, example runtime.Object, options SharedIndexInformerOptions) SharedIndexInformer {
	if way, ok := storages[*storageFlag]; ok {
		options.Storage = way
		if _, generic := example.(runtime.Unstructured); !generic && way.Keep != nil {
			options.Storage.Keep = fieldsOf(example, way.Keep)
		}
	}
	return NewSharedIndexInformerWithOptions(lw, example, options)
}

// fieldsOf leaves out the fields that the type has not.
func fieldsOf(example runtime.Object, fields []string) (out []string) {
	for _, f := range fields {
		if _, err := (Storage{Keep: []string{f}}).filter(example); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// TestOtherStorages runs the tests of informers, the fault matrix among them, with each of the storages.
func TestOtherStorages(t *testing.T) {
	if *storageFlag != "" {
		t.Skip("this is one of them")
	}
	for name := range storages {
		if testing.Short() && name != "packed" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run", "Informer|Fault|Handler|Slow|Late|Hammer|Inconsistency", "-storage", name, "-test.timeout", "100s", fmt.Sprintf("-test.short=%v", testing.Short()))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if strings.Contains(string(out), "no tests to run") {
				t.Fatal("no tests were run")
			}
		})
	}
}
