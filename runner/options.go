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

// Options is what operators set. The zero value works: no addresses are opened, and there is no leader election.
type Options struct {
	// Kubeconfig is the file to reach the cluster by, and Context the context in it. Empty means what KUBECONFIG or
	// ~/.kube/config say, or the service account if the program runs in a cluster.
	Kubeconfig, Context string
	// QPS and Burst limit the requests of all clients. Zero means those of package rest.
	QPS   float64
	Burst int

	// MetricsBindAddress is where /metrics is served, HealthProbeBindAddress where the health checks are: ":8080". Empty or "0"
	// means nowhere. Both may be the same.
	MetricsBindAddress     string
	HealthProbeBindAddress string
	// DebugEndpoints serves /debug/ at HealthProbeBindAddress, to requests from the same machine.
	DebugEndpoints bool

	// LeaderElect lets one replica of several do the work. LeaderElectResourceName is the name of the Lease, which is needed then,
	// and LeaderElectResourceNamespace its namespace; empty means the one that the program runs in.
	LeaderElect                  bool
	LeaderElectResourceName      string
	LeaderElectResourceNamespace string
	// LeaderElectLeaseDuration and so on are zero for 15 s, 10 s and 2 s.
	LeaderElectLeaseDuration time.Duration
	LeaderElectRenewDeadline time.Duration
	LeaderElectRetryPeriod   time.Duration
}

// AddFlags adds the flags. What is set in the options is their default.
func (o *Options) AddFlags(fs *flag.FlagSet) {
	fs.StringVar(&o.Kubeconfig, "kubeconfig", o.Kubeconfig, "kubeconfig `file`; by default that of KUBECONFIG or ~/.kube/config, or the service account in a cluster")
	fs.StringVar(&o.Context, "context", o.Context, "`name` of the context in the kubeconfig file")
	fs.Float64Var(&o.QPS, "kube-api-qps", o.QPS, "requests a second to the API server; negative for no limit")
	fs.IntVar(&o.Burst, "kube-api-burst", o.Burst, "requests to the API server at once")
	fs.StringVar(&o.MetricsBindAddress, "metrics-bind-address", o.MetricsBindAddress, "`address` to serve /metrics at, such as :8080; 0 for none")
	fs.StringVar(&o.HealthProbeBindAddress, "health-probe-bind-address", o.HealthProbeBindAddress, "`address` to serve /healthz and /readyz at, such as :8081; 0 for none")
	fs.BoolVar(&o.DebugEndpoints, "debug-endpoints", o.DebugEndpoints, "serve /debug/ at the address of the health probes, to requests from the same machine")
	fs.BoolVar(&o.LeaderElect, "leader-elect", o.LeaderElect, "let one replica of several do the work")
	fs.StringVar(&o.LeaderElectResourceName, "leader-elect-resource-name", o.LeaderElectResourceName, "`name` of the Lease for --leader-elect")
	fs.StringVar(&o.LeaderElectResourceNamespace, "leader-elect-resource-namespace", o.LeaderElectResourceNamespace, "`namespace` of the Lease; by default that of the program")
	fs.DurationVar(&o.LeaderElectLeaseDuration, "leader-elect-lease-duration", or(o.LeaderElectLeaseDuration, defaultLease), "how long the others wait before they take over")
	fs.DurationVar(&o.LeaderElectRenewDeadline, "leader-elect-renew-deadline", or(o.LeaderElectRenewDeadline, defaultRenew), "how long a leader tries to renew before it stops its work")
	fs.DurationVar(&o.LeaderElectRetryPeriod, "leader-elect-retry-period", or(o.LeaderElectRetryPeriod, defaultRetry), "how long to wait between two tries")
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

// RESTConfig is the configuration for the cluster that the options name.
func (o *Options) RESTConfig() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: o.Context})
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("runner: no cluster to talk to (set --kubeconfig or KUBECONFIG): %w", err)
	}
	config.QPS, config.Burst = float32(o.QPS), o.Burst
	return config, nil
}

func (o *Options) validate() error {
	switch {
	case o.LeaderElect && o.LeaderElectResourceName == "":
		return errors.New("runner: Options.LeaderElectResourceName is empty; --leader-elect needs the name of a Lease")
	case o.DebugEndpoints && !isAddress(o.HealthProbeBindAddress):
		return errors.New("runner: Options.DebugEndpoints is set, and there is no HealthProbeBindAddress to serve them at")
	}
	return nil
}

// isAddress tells whether something is to be served there.
func isAddress(address string) bool { return address != "" && address != "0" }

// namespaceFile is where a program that runs in a cluster finds its namespace.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// leaseNamespace is where the Lease is.
func (o *Options) leaseNamespace() (string, error) {
	if o.LeaderElectResourceNamespace != "" {
		return o.LeaderElectResourceNamespace, nil
	}
	content, err := os.ReadFile(filepath.FromSlash(namespaceFile))
	if namespace := strings.TrimSpace(string(content)); err == nil && namespace != "" {
		return namespace, nil
	}
	return "", errors.New("runner: Options.LeaderElectResourceNamespace is empty, and the program does not run in a cluster that would say")
}
