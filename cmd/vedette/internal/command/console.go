package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vedette.dev/cmd/vedette/internal/kinds"
	"vedette.dev/cmd/vedette/internal/object"
	"vedette.dev/console"
)

// consoleCommand is the flags of 'vedette console'.
type consoleCommand struct {
	*streams
	clusterFlags
	pageFlags
	resources []string
	forTime   time.Duration
}

func newConsole(s *streams) *cobra.Command {
	c := &consoleCommand{streams: s}
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Run informers on a cluster, and show them in the console",
		Long: `Runs informers on a cluster, and serves the console, a web page: rates and lags of events from the API server, errors and their
causes, and the objects by key, label, size and number of changes. The console is read-only, and works offline.

Without --page-token, the console only accepts requests from this machine. If the address is reachable from other machines, it requires a
token, and generates one if none is given.

Values of Secrets are masked on receipt, and are not in the console.`,
		Example: examples(`
			vedette console -A

			# These, in one namespace, at a port of one's choice
			vedette console --resource pods,deployments.apps,configmaps -n shop --listen 127.0.0.1:8080`),
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.parse(); err != nil {
				return err
			}
			return c.run(cmd.Context())
		},
	}
	c.clusterFlags.add(cmd)
	c.pageFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&c.resources, "resource", []string{"pods", "deployments.apps", "nodes"}, "Resources to watch, named as for kubectl")
	flags.DurationVar(&c.forTime, "for", 0, "End after this time; 0 means with Ctrl-C")
	return cmd
}

// parse validates the flags, without a cluster.
func (c *consoleCommand) parse() error {
	for _, name := range c.resources {
		if strings.TrimSpace(name) == "" {
			return usagef("--resource has an empty name; it must be like pods,deployments.apps")
		}
	}
	if len(c.resources) == 0 {
		return usagef("--resource is empty; it must be like pods,deployments.apps")
	}
	if err := notNegative("for", c.forTime); err != nil {
		return err
	}
	return c.pageFlags.parse()
}

func (c *consoleCommand) run(ctx context.Context) error {
	listener, err := c.reserve()
	if err != nil {
		return err
	}
	defer listener.Close() // also closed by the console, if it is served
	cluster, err := c.connect(c.streams)
	if err != nil {
		return err
	}
	served, err := cluster.read(ctx)
	if err != nil {
		return err
	}
	followers, err := c.followers(cluster, served)
	if err != nil {
		return err
	}
	config := console.Config{Title: "vedette console" + cluster.inContext()}
	for _, f := range followers {
		config.Informers = append(config.Informers, console.Informer(f.resource.String(), f.informer))
	}
	page := c.open(listener, config)
	defer page.close()
	running, stop := within(ctx, c.forTime)
	for _, f := range followers {
		defer f.wait()
		f.start(running)
	}
	defer stop()
	fmt.Fprintf(c.out, "The console of %s is at %s until Ctrl-C.\n", c.what(cluster, followers), page.url)
	c.browse(c.streams, page.url)
	return c.wait(running, followers)
}

// followers returns the informers, one for each resource, even if it is given several times or under several names.
func (c *consoleCommand) followers(cluster *cluster, served *kinds.Served) ([]*follower, error) {
	client, err := cluster.dynamic()
	if err != nil {
		return nil, err
	}
	masker := object.NewMasker()
	seen := make(map[string]bool)
	var all []*follower
	for _, name := range c.resources {
		resource, err := cluster.find(served, strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if seen[resource.String()] {
			continue
		}
		seen[resource.String()] = true
		f, err := cluster.follow(client, resource, selection{managedFields: true}, masker)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

func (c *consoleCommand) what(cluster *cluster, followers []*follower) string {
	var names []string
	for _, f := range followers {
		names = append(names, f.resource.String())
	}
	where := " in all namespaces"
	if cluster.namespace != "" {
		where = " in " + cluster.namespace
	}
	return strings.Join(names, ", ") + where
}

// wait waits for the end. A resource that cannot be listed is reported once, and is in the console with its error. If no resource can be
// listed, wait returns an error.
func (c *consoleCommand) wait(ctx context.Context, followers []*follower) error {
	ticker := time.NewTicker(frameTime)
	defer ticker.Stop()
	refused := 0
	for ctx.Err() == nil {
		for _, f := range followers {
			select {
			case err := <-f.hopeless:
				if f.reported {
					continue
				}
				f.reported = true
				refused++
				err = f.cluster.explainError(ctx, err, "list "+f.resource.String())
				if refused == len(followers) {
					return err
				}
				c.complain(err)
			default:
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
	return nil
}
