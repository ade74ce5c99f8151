package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"vedette.dev/clientcmd"
	"vedette.dev/cmd/vedette/internal/kinds"
	"vedette.dev/discovery"
	"vedette.dev/dynamic"
	"vedette.dev/rest"
)

// clusterFlags select a cluster, as the flags of kubectl do.
type clusterFlags struct {
	kubeconfig string
	overrides  clientcmd.ConfigOverrides
	all        bool // all namespaces
}

// add adds the flags to a command.
func (f *clusterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.kubeconfig, clientcmd.RecommendedConfigPathFlag, "", "Kubeconfig file (default the files in KUBECONFIG, ~/.kube/config, or the service account of the pod)")
	names := clientcmd.RecommendedConfigOverrideFlags("")
	names.ClusterOverrideFlags.APIServer.ShortName = "s"
	clientcmd.BindOverrideFlags(&f.overrides, flags, names)
	flags.BoolVarP(&f.all, "all-namespaces", "A", false, "Watch all namespaces; --namespace is ignored")
	_ = cmd.MarkFlagFilename(clientcmd.RecommendedConfigPathFlag) // the only error is that there is no such flag
}

// cluster is a cluster and how to reach it.
type cluster struct {
	config *rest.Config
	// namespace is the namespace to watch; empty means all.
	namespace string
	// timeout limits requests other than watches; zero means no limit. It is not set in config, where it would end watches.
	timeout time.Duration
	// context is the name of the selected context, for messages.
	context string
}

// connect returns the cluster that the flags select. It sends no request.
func (f *clusterFlags) connect(s *streams) (*cluster, error) {
	if _, err := clientcmd.ParseTimeout(f.overrides.Timeout); err != nil {
		return nil, usagef("--request-timeout is %q, and must be a duration such as 10s, or a number of seconds", f.overrides.Timeout)
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &f.overrides)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, f.noConfig(err, loader)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, f.noConfig(err, loader)
	}
	if f.all {
		namespace = ""
	}
	c := &cluster{config: rest.CopyConfig(config), namespace: namespace, timeout: config.Timeout, context: f.contextName(loader)}
	c.config.Timeout = 0
	c.config.QPS = -1 // few requests besides watches: the limits of the server are enough
	c.config.UserAgent = "vedette/" + thisVersion().Version
	c.config.WarningHandler = rest.NewWarningWriter(s.err, rest.WarningWriterOptions{Deduplicate: true})
	return c, nil
}

func (f *clusterFlags) contextName(loader clientcmd.ClientConfig) string {
	if f.overrides.CurrentContext != "" {
		return f.overrides.CurrentContext
	}
	raw, err := loader.RawConfig()
	if err != nil {
		return ""
	}
	return raw.CurrentContext
}

// errTimeout is the cause of a context that ends because of --request-timeout.
var errTimeout = errors.New("--request-timeout exceeded")

// limit returns a context that ends after --request-timeout.
func (c *cluster) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, c.timeout, errTimeout)
}

// read reads the resources of the server from discovery.
func (c *cluster) read(ctx context.Context) (*kinds.Served, error) {
	ctx, cancel := c.limit(ctx)
	defer cancel()
	client, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return nil, c.badConfig(err)
	}
	served, err := kinds.Read(ctx, client)
	if err != nil {
		return nil, c.explainError(ctx, err, "read the resources of the server")
	}
	return served, nil
}

// find finds a resource that can be watched.
func (c *cluster) find(served *kinds.Served, name string) (kinds.Resource, error) {
	r, err := served.Find(name)
	switch {
	case kinds.IsUnknown(err):
		return r, fmt.Errorf("%w\nkubectl api-resources lists the resources of the server", err)
	case err != nil:
		return r, err
	case !r.Watchable():
		return r, fmt.Errorf("%s cannot be listed and watched: the server supports only %v", r, r.Verbs)
	}
	return r, nil
}

func (c *cluster) dynamic() (*dynamic.DynamicClient, error) {
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		return nil, c.badConfig(err)
	}
	return client, nil
}
