package ctrl

import (
	"errors"
	"net/http"
	"slices"

	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"vedette.dev/console"
)

// ConsolePath is where MountConsole puts the page.
const ConsolePath = "/debug/vedette/"

// MountConsole puts the live page on the metrics server of a manager whose cache is of this package, under ConsolePath. It shows the
// informers of the cache, the queues of QueueFor, and what the configuration adds. It must be called before the manager starts.
//
//	err := bridgectrl.MountConsole(mgr, console.Config{})
//
// The metrics server of a manager listens on all addresses. Without a token, the page answers requests from this machine only.
func MountConsole(mgr Manager, config console.Config) error {
	cache, ok := mgr.GetCache().(*Cache)
	if !ok {
		return errors.New("bridge: the cache of the manager is not of this package: set NewCache in the options of the manager")
	}
	config.Informers = append([]console.Informers{cache}, config.Informers...)
	if more := config.MoreQueues; more == nil {
		config.MoreQueues = cache.shownQueues
	} else {
		config.MoreQueues = func() []console.Queue { return slices.Concat(cache.shownQueues(), more()) }
	}
	return mgr.AddMetricsServerExtraHandler(ConsolePath, console.Handler(config))
}

// Manager is a manager.Manager of controller-runtime.
type Manager interface {
	GetCache() ctrlcache.Cache
	AddMetricsServerExtraHandler(path string, handler http.Handler) error
}
