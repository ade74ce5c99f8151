package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"vedette.dev/apitest"
	"vedette.dev/cmd/vedette/internal/kinds"
	"vedette.dev/cmd/vedette/internal/relay"
	"vedette.dev/cmd/vedette/internal/show"
	"vedette.dev/discovery"
)

// serve is the flags of 'vedette serve'.
type serve struct {
	*streams
	listen  string
	file    string
	force   bool
	fill    []string
	churn   []string
	faults  []string
	forTime time.Duration

	// The values of the flags.
	fills  []amount
	churns []amount
	parsed []apitest.Fault
}

func newServe(s *streams) *cobra.Command {
	v := &serve{streams: s}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run an API server in memory, and write a kubeconfig for it",
		Long: `Runs an API server in this process, and writes a kubeconfig with which kubectl and any controller can use it. It starts in
milliseconds, behaves like kube-apiserver, and serves all built-in kinds and CustomResourceDefinitions. Nothing runs on it:
there is no scheduler, no kubelet, and no controller but the one that empties namespaces. It keeps nothing when it ends.

The token in the kubeconfig is new for each run. The file is removed at the end unless it has been changed.

A fault is WHICH REQUESTS: WHAT HAPPENS [HOW], for example
  watch pods: cut p=0.01                            cut one in a hundred frames of watches of pods
  list deployments.apps: slow delay=2s times=3      delay the next three lists
  *: 429 p=0.1                                      refuse every tenth request
All are listed in the documentation of vedette.dev/apitest, at ParseFault.`,
		Example: examples(`
			# A server with 1,000 pods, of which 50 change each second
			vedette serve --fill pods=1000 --churn 50

			# Other kinds too, at a fixed port, for a minute
			vedette serve --listen 127.0.0.1:6443 --fill pods=200,configmaps=50 --churn pods=20,configmaps=1 --for 1m

			# A server that injects faults
			vedette serve --fill pods=100 --churn 10 --fault 'watch pods: cut p=0.05' --fault 'list: 503 times=2'`),
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := v.parse(); err != nil {
				return err
			}
			return v.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&v.listen, "listen", "127.0.0.1:0", "Address to listen at; port 0 means a free port")
	flags.StringVar(&v.file, "kubeconfig-out", "vedette.kubeconfig", "File to write the kubeconfig to; - for standard output")
	flags.BoolVar(&v.force, "force", false, "Overwrite a kubeconfig that another program has written")
	flags.StringSliceVar(&v.fill, "fill", nil, "Initial objects: RESOURCE=COUNT, such as pods=1000,configmaps=50")
	flags.StringSliceVar(&v.churn, "churn", nil, "Changes per second: a number for pods, or RESOURCE=RATE")
	flags.StringArrayVar(&v.faults, "fault", nil, "Fault to inject, see above; can be given several times")
	flags.DurationVar(&v.forTime, "for", 0, "End after this time; 0 means with Ctrl-C")
	return cmd
}

// parse validates the flags, without a server.
func (v *serve) parse() (err error) {
	if _, _, err := net.SplitHostPort(v.listen); err != nil {
		return usagef("--listen is %q, and must be HOST:PORT, such as 127.0.0.1:6443", v.listen)
	}
	if v.fills, err = parseAmounts("fill", v.fill, "", true); err != nil {
		return err
	}
	if v.churns, err = parseAmounts("churn", v.churn, "pods", false); err != nil {
		return err
	}
	if len(v.churns) > 0 && len(v.fills) == 0 {
		return usagef("--churn needs objects; add --fill, such as --fill pods=100")
	}
	for _, text := range v.faults {
		fault, err := apitest.ParseFault(text)
		if err != nil {
			return usagef("--fault %q: %w", text, err)
		}
		v.parsed = append(v.parsed, fault)
	}
	return notNegative("for", v.forTime)
}

func (v *serve) run(ctx context.Context) error {
	output, err := newKubeconfigFile(v.file, v.force)
	if err != nil {
		return err
	}
	token := rand.Text()
	server, err := apitest.Start(apitest.Config{Tokens: map[string]apitest.User{token: {Name: "admin", Groups: []string{"system:masters"}}}})
	if err != nil {
		return err
	}
	defer server.Close()
	address, end, err := v.open(server)
	if err != nil {
		return err
	}
	defer end()
	churns, err := v.populate(ctx, server)
	if err != nil {
		return err
	}
	// Last, so that they do not affect the requests of vedette itself.
	for _, fault := range v.parsed {
		if _, err := server.Inject(fault); err != nil {
			return err
		}
	}
	if err := output.write(v.out, server.Kubeconfig(), address); err != nil {
		return err
	}
	defer output.remove()
	for _, churn := range churns {
		churner, err := server.Churn(ctx, churn)
		if err != nil {
			return err
		}
		defer churner.Stop()
	}
	v.greet(address, output)
	return v.wait(ctx)
}

// open makes the server reachable at the address of the flags. It listens at an address of its own, which is used if no port is
// given.
func (v *serve) open(server *apitest.Server) (address string, end func(), err error) {
	own := server.RESTConfig().Host
	target := hostOf(own)
	if v.listen == "127.0.0.1:0" {
		return target, func() {}, nil
	}
	r, err := relay.Listen(v.listen, target)
	if err != nil {
		return "", nil, fmt.Errorf("cannot listen at %s: %s\nChoose another address with --listen, or port 0 for one that is free", v.listen, rootCause(err))
	}
	return r.Addr().String(), r.Close, nil
}

// populate adds the objects, and returns what to change.
func (v *serve) populate(ctx context.Context, server *apitest.Server) ([]apitest.Churn, error) {
	if len(v.fills) == 0 {
		return nil, nil
	}
	client, err := discovery.NewDiscoveryClientForConfig(server.RESTConfig())
	if err != nil {
		return nil, err
	}
	served, err := kinds.Read(ctx, client)
	if err != nil {
		return nil, interrupted(ctx, err)
	}
	filled := make(map[string]bool)
	for _, fill := range v.fills {
		r, err := served.Find(fill.name)
		if err != nil {
			return nil, usagef("--fill: %w", err)
		}
		filled[r.String()] = true
		if err := v.fillWith(ctx, server, r, int(fill.number)); err != nil {
			return nil, interrupted(ctx, err)
		}
	}
	var churns []apitest.Churn
	for _, churn := range v.churns {
		r, err := served.Find(churn.name)
		if err != nil {
			return nil, usagef("--churn: %w", err)
		}
		if !filled[r.String()] {
			return nil, usagef("--churn: there are no %s to change; add --fill %s=100", r, r)
		}
		churns = append(churns, apitest.Churn{Rate: churn.number, Resource: r.GroupVersionResource})
	}
	return churns, nil
}

// fillWith adds objects of a resource, with a progress bar.
func (v *serve) fillWith(ctx context.Context, server *apitest.Server, r kinds.Resource, count int) error {
	if count == 0 {
		return nil
	}
	bar := v.bar()
	defer bar.Clear()
	load := apitest.Load{Progress: func(done, total int) {
		bar.Set(float64(done)/float64(total), fmt.Sprintf("%s of %s %s", show.Count(done), show.Count(total), r))
	}}
	if r.String() == "pods" {
		load.Pods = count
	} else {
		load.Object, load.Count = template(r), count
	}
	return server.Fill(ctx, load)
}

// wait waits for a signal, which is not an error, or for the time of --for.
func (v *serve) wait(ctx context.Context) error {
	if v.forTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, v.forTime)
		defer cancel()
	}
	<-ctx.Done()
	return nil
}

// interrupted returns the signal if it caused the error, and otherwise the error.
func interrupted(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errInterrupted) {
		return cause
	}
	return err
}
