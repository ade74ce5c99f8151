package runner

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vedette.dev/clientcmd"
	"vedette.dev/rest"
)

// Options are the command line options of a program. The zero value works: no addresses are opened, and there is no
// leader election.
type Options struct {
	// Kubeconfig is the kubeconfig file, and Context the context in it. If empty, KUBECONFIG or ~/.kube/config is used,
	// or the service account if the program runs in a cluster.
	Kubeconfig, Context string
	// QPS and Burst limit the requests of all clients. Zero means the defaults of package rest.
	QPS   float64
	Burst int

	// MetricsBindAddress is the address of /metrics, HealthProbeBindAddress that of the health checks: ":8080". Empty
	// or "0" means that they are not served. Both may be the same.
	MetricsBindAddress     string
	HealthProbeBindAddress string
	// DebugEndpoints serves /debug/ at HealthProbeBindAddress, for requests from the same machine.
	DebugEndpoints bool

	// LeaderElect enables leader election. LeaderElectResourceName is the name of the Lease, which is required then,
	// and LeaderElectResourceNamespace its namespace; empty means the namespace of the program.
	LeaderElect                  bool
	LeaderElectResourceName      string
	LeaderElectResourceNamespace string
	// LeaderElectLeaseDuration, LeaderElectRenewDeadline and LeaderElectRetryPeriod default to 15 s, 10 s and 2 s.
	LeaderElectLeaseDuration time.Duration
	LeaderElectRenewDeadline time.Duration
	LeaderElectRetryPeriod   time.Duration
}

// AddFlags adds the flags. Their defaults are the values in o.
func (o *Options) AddFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.Kubeconfig, "kubeconfig", o.Kubeconfig, "kubeconfig `file`; by default that of KUBECONFIG or ~/.kube/config, or the service account in a cluster")
	fs.StringVar(&o.Context, "context", o.Context, "`name` of the context in the kubeconfig file")
	fs.Float64Var(&o.QPS, "kube-api-qps", o.QPS, "requests a second to the API server; negative for no limit")
	fs.IntVar(&o.Burst, "kube-api-burst", o.Burst, "requests to the API server at once")
	fs.StringVar(&o.MetricsBindAddress, "metrics-bind-address", o.MetricsBindAddress, "`address` to serve /metrics at, such as :8080; 0 for none")
	fs.StringVar(&o.HealthProbeBindAddress, "health-probe-bind-address", o.HealthProbeBindAddress, "`address` to serve /healthz and /readyz at, such as :8081; 0 for none")
	fs.BoolVar(&o.DebugEndpoints, "debug-endpoints", o.DebugEndpoints, "serve /debug/ at the address of the health probes, to requests from the same machine")
	fs.BoolVar(&o.LeaderElect, "leader-elect", o.LeaderElect, "elect a leader among several replicas, which does the work")
	fs.StringVar(&o.LeaderElectResourceName, "leader-elect-resource-name", o.LeaderElectResourceName, "`name` of the Lease for --leader-elect")
	fs.StringVar(&o.LeaderElectResourceNamespace, "leader-elect-resource-namespace", o.LeaderElectResourceNamespace, "`namespace` of the Lease; by default that of the program")
	fs.DurationVar(&o.LeaderElectLeaseDuration, "leader-elect-lease-duration", or(o.LeaderElectLeaseDuration, defaultLease), "how long other replicas wait before they take over")
	fs.DurationVar(&o.LeaderElectRenewDeadline, "leader-elect-renew-deadline", or(o.LeaderElectRenewDeadline, defaultRenew), "how long a leader tries to renew before it stops its work")
	fs.DurationVar(&o.LeaderElectRetryPeriod, "leader-elect-retry-period", or(o.LeaderElectRetryPeriod, defaultRetry), "how long to wait between two attempts")
}

const (
	defaultLease = 15 * time.Second
	defaultRenew = 10 * time.Second
	defaultRetry = 2 * time.Second
)

func or[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// RESTConfig returns the configuration for the cluster that the options specify.
func (o *Options) RESTConfig() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("runner: no cluster configured (set --kubeconfig or KUBECONFIG): %w", err)
	}
	config.QPS, config.Burst = float32(o.QPS), o.Burst
	return config, nil
}

func (o *Options) validate() error {
	switch {
	case o.LeaderElect && o.LeaderElectResourceName == "":
		return errors.New("runner: Options.LeaderElectResourceName is empty; --leader-elect needs the name of a Lease")
	case o.DebugEndpoints && !isAddress(o.HealthProbeBindAddress):
		return errors.New("runner: Options.DebugEndpoints is set, but HealthProbeBindAddress is empty")
	}
	return nil
}

// isAddress reports whether an address is set.
func isAddress(address string) bool { return address != "" && address != "0" }

// namespaceFile contains the namespace of a program that runs in a cluster.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// leaseNamespace returns the namespace of the Lease.
func (o *Options) leaseNamespace() (string, error) {
	if o.LeaderElectResourceNamespace != "" {
		return o.LeaderElectResourceNamespace, nil
	}
	content, err := os.ReadFile(filepath.FromSlash(namespaceFile))
	if namespace := strings.TrimSpace(string(content)); err == nil && namespace != "" {
		return namespace, nil
	}
	return "", errors.New("runner: Options.LeaderElectResourceNamespace is empty, and the program does not run in a cluster")
}
