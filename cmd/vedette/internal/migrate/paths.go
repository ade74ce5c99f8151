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
	"tools/portforward": "portforward", "tools/record": "record", "tools/reference": "reference", "tools/remotecommand": "remotecommand", "tools/watch": "watch",
	"util/exec": "exec", "util/flowcontrol": "flowcontrol", "util/retry": "retry", "util/watchlist": "watchlist", "util/workqueue": "workqueue",
}

// forward is the line with which metrics that are registered with client-go count.
const forward = "after the rest.Config is made, and before clients, queues and electors are, add: " +
	"bridge.ForwardMetrics(config) // import \"vedette.dev/bridge\", see docs/bridge.md" +
	"\n    if config is of client-go's type, whose clients count there by themselves: bridge.ForwardMetrics() for queues and electors, " +
	"with each config that bridge.MustFromClientGo made for clients of Vedette"

// remedies says what to do about packages that Vedette has not, or in another form. The longest prefix counts.
var remedies = map[string]string{
	clientGo + "/tools/metrics":                              "metrics that are registered here do not count what Vedette does; " + forward,
	"k8s.io/component-base/metrics/prometheus/restclient":    "its series rest_client_* do not count what Vedette does; " + forward,
	"k8s.io/component-base/metrics/prometheus/workqueue":     "its series workqueue_* do not count what Vedette does; " + forward,
	"k8s.io/component-base/metrics/prometheus/clientgo":      "its series rest_client_*, workqueue_* and leader_election_* do not count what Vedette does; " + forward,
	"k8s.io/component-base/metrics/prometheus/clientgo/fifo": "its series informer_* do not count what Vedette does: see Metrics.InformerNames in docs/metrics.md",
	clientGo + "/util/testing":                               "",
	clientGo + "/util/":                                      "",
	clientGo + "/applyconfigurations/":                       "",
	clientGo + "/third_party/":                               "",
	clientGo + "/pkg/version":                                "",
	clientGo + "/features":                                   "feature gates of client-go have no effect on Vedette: see docs/compatibility.md",
	clientGo + "/":                                           "Vedette does not have this package; what it shares with others is of client-go's types",
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
