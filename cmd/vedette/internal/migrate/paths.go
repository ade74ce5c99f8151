package migrate

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

const (
	clientGo = "k8s.io/client-go"
	auth     = clientGo + "/plugin/pkg/client/auth"
)

// offered are the packages of client-go that Vedette has, with the packages below them as far as these exist. tools and util are not in
// Vedette's paths.
var offered = map[string]string{
	"discovery": "discovery", "dynamic": "dynamic", "gentype": "gentype", "informers": "informers", "kubernetes": "kubernetes", "listers": "listers",
	"metadata": "metadata", "rest": "rest", "restmapper": "restmapper", "scale": "scale", "testing": "testing", "transport": "transport",
	"tools/cache": "cache", "tools/clientcmd": "clientcmd", "tools/events": "events", "tools/leaderelection": "leaderelection", "tools/pager": "pager",
	"tools/record": "record", "tools/reference": "reference", "tools/watch": "watch",
	"util/flowcontrol": "flowcontrol", "util/retry": "retry", "util/watchlist": "watchlist", "util/workqueue": "workqueue",
}

// remedies says what to do about packages that Vedette has not, or in another form. The longest prefix counts.
var remedies = map[string]string{
	clientGo + "/tools/metrics":                 "client-go's metrics do not count Vedette's requests: set rest.Config.Metrics, see docs/metrics.md",
	"k8s.io/component-base/metrics/prometheus/": "registers metrics with client-go, which do not count what Vedette does: use package vedette.dev/metrics, see docs/metrics.md",
	clientGo + "/util/testing":                  "",
	clientGo + "/util/":                         "",
	clientGo + "/applyconfigurations/":          "",
	clientGo + "/third_party/":                  "",
	clientGo + "/features":                      "feature gates of client-go have no effect on Vedette: see docs/compatibility.md",
	clientGo + "/":                              "Vedette does not have this package; what it shares with others is of client-go's types",
}

// replacement returns the import path in Vedette's module for one of client-go, if the folder of Vedette has such a package.
func replacement(vedette, imported string) (string, bool) {
	rest, ok := strings.CutPrefix(imported, clientGo+"/")
	if !ok {
		return "", false
	}
	for at := rest; at != "." && at != "/"; at = path.Dir(at) {
		own, ok := offered[at]
		if !ok {
			continue
		}
		own += strings.TrimPrefix(rest, at)
		if !hasPackage(filepath.Join(vedette, filepath.FromSlash(own))) {
			return "", false
		}
		return "vedette.dev/" + own, true
	}
	return "", false
}

// hasPackage reports whether a folder has Go files that are not tests.
func hasPackage(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			return true
		}
	}
	return false
}

// remedy returns what to do about an import that stays, and whether it is worth a line in the report.
func remedy(imported string) (text string, report bool) {
	longest := ""
	for prefix := range remedies {
		if strings.HasPrefix(imported+"/", strings.TrimSuffix(prefix, "/")+"/") && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	if longest == "" {
		return "", false
	}
	return remedies[longest], true
}
