package suites

import (
	"os"
	"testing"
)

// TestOthers runs the tests of the packages that are built on the cache and on the queue.
func TestOthers(t *testing.T) {
	if os.Getenv("BRIDGE_SUITES") != "all" {
		t.Skip("takes minutes: make bridge-suites")
	}
	s := newSource(t)
	const imports = "import (\n"
	s.replace(t, "pkg/cluster/cluster.go",
		imports, imports+"\tbridgectrl \"vedette.dev/bridge/ctrl\"\n",
		"options.NewCache = cache.New\n", "options.NewCache = bridgectrl.NewCache\n")
	s.replace(t, "pkg/controller/controller.go",
		imports, imports+"\tbridgectrl \"vedette.dev/bridge/ctrl\"\n",
		"return priorityqueue.New(", "return bridgectrl.NewQueue(controllerName, rateLimiter)\nreturn priorityqueue.New(",
		"return workqueue.NewTypedRateLimitingQueueWithConfig(", "return bridgectrl.NewPlainQueue(controllerName, rateLimiter)\nreturn workqueue.NewTypedRateLimitingQueueWithConfig(")
	for _, suite := range []struct {
		pkg   string
		specs int
	}{
		{"pkg/manager", 107},
		{"pkg/controller", 32},
		{"pkg/internal/controller", 75},
		{"pkg/builder", 72},
		{"pkg/source", 19},
		{"pkg/cluster", 15},
	} {
		t.Run(suite.pkg, func(t *testing.T) {
			s.run(t, suite.pkg, s.compile(t, suite.pkg), suite.specs, nil)
		})
	}
}
