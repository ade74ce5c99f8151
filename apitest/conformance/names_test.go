package conformance_test

import (
	"strings"
	"testing"

	"vedette.dev/apitest/conformance"
)

// A name is how a difference is listed in Target.Skip: it has to mean one behaviour.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range conformance.Names() {
		if seen[name] || strings.Count(name, "/") != 1 || strings.TrimSpace(name) != name {
			t.Errorf("%q is there twice, or is not subject/behaviour", name)
		}
		seen[name] = true
	}
	t.Logf("%d behaviours", len(seen))
}
