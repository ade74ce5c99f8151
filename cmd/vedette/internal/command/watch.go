package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"

	"vedette.dev/cache"
	"vedette.dev/cmd/vedette/internal/kinds"
	"vedette.dev/cmd/vedette/internal/object"
	"vedette.dev/cmd/vedette/internal/show"
)

// watch is the flags of 'vedette watch'.
type watch struct {
	*streams
	clusterFlags
	byText        string
	selector      string
	fieldSelector string
	output        string
	managed       bool
	once          bool
	forTime       time.Duration
	shards        int

	by object.By
}

func newWatch(s *streams) *cobra.Command {
	w := &watch{streams: s}
	cmd := &cobra.Command{
		Use:   "watch RESOURCE",
		Short: "Show the objects of a kind as they change, one by one or by group",
		Long: `Shows the objects of a kind, and how they change. RESOURCE is named as for kubectl: pods, po, deployments.apps.

In a terminal the view is redrawn. In a pipe, and with -o json, yaml or name, each change is printed as it happens, after an ADDED
line for each existing object. For a slow reader, changes are coalesced: it gets the newest state of each object and every deletion.

With --by there is one row for each group:
  node            the node that an object is on
  namespace       its namespace
  owner           its controller, such as ReplicaSet/web-1
  label:KEY       the value of a label
  '{.JSONPATH}'   the value of any field, such as '{.status.phase}'

Values of Secrets, and of their annotations, are masked in all forms of output.`,
		Example: examples(`
			# How many pods are on which node, and how they are
			vedette watch pods -A --by node

			# Deployments by team, once
			vedette watch deployments.apps -A --by label:team --once

			# Pods of a big cluster in 8 shards, each of which is listed, decoded and delivered by itself
			vedette watch pods -A --by namespace --shards 8

			# What changes, as lines for other programs
			vedette watch pods -n shop -l app=web -o json | jq -c '[.type, .object.metadata.name]'`),
		Args: exactly(1, "RESOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := w.parse(); err != nil {
				return err
			}
			return w.run(cmd.Context(), args[0])
		},
	}
	w.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&w.byText, "by", "", "Group by node, namespace, owner, label:KEY or '{.JSONPATH}'")
	flags.StringVarP(&w.selector, "selector", "l", "", "Labels to select by, such as app=web,tier!=cache")
	flags.StringVar(&w.fieldSelector, "field-selector", "", "Fields to select by, such as spec.nodeName=node-1")
	flags.StringVarP(&w.output, "output", "o", "table", "table, json, yaml or name")
	flags.BoolVar(&w.managed, "show-managed-fields", false, "Keep the managed fields in the objects of -o json and yaml")
	flags.BoolVar(&w.once, "once", false, "Show the current objects, and end")
	flags.DurationVar(&w.forTime, "for", 0, "End after this time; 0 means with Ctrl-C")
	flags.IntVar(&w.shards, "shards", 0, "Use a ShardingInformer with this number of shards, by the hash of the UID; 0 means no sharding")
	return cmd
}

// parse validates the flags, without a cluster.
func (w *watch) parse() (err error) {
	if err := oneOf("output", w.output, "table", "json", "yaml", "name"); err != nil {
		return err
	}
	if w.by, err = object.ParseBy(w.byText); err != nil {
		return usagef("--by: %w", err)
	}
	if err := validSelector(w.selector); err != nil {
		return err
	}
	if _, err := fields.ParseSelector(w.fieldSelector); err != nil {
		return usagef("--field-selector is %q: %w", w.fieldSelector, err)
	}
	if w.shards < 0 || w.shards > 256 {
		return usagef("--shards is %d, and must be from 1 to 256, or 0 for none", w.shards)
	}
	return notNegative("for", w.forTime)
}

func (w *watch) run(ctx context.Context, name string) error {
	cluster, err := w.connect(w.streams)
	if err != nil {
		return err
	}
	served, err := cluster.read(ctx)
	if err != nil {
		return err
	}
	resource, err := cluster.find(served, name)
	if err != nil {
		return err
	}
	client, err := cluster.dynamic()
	if err != nil {
		return err
	}
	follower, err := cluster.follow(client, resource,
		selection{labels: w.selector, fields: w.fieldSelector, managedFields: w.managed, shards: w.shards}, object.NewMasker())
	if err != nil {
		return err
	}
	return w.follow(ctx, follower, w.newOutlet(cluster, resource, follower))
}

// follow shows the objects of a follower until the context ends.
func (w *watch) follow(ctx context.Context, f *follower, outlet outlet) error {
	running, stop := context.WithCancel(ctx)
	defer f.wait()
	defer stop()
	handler, err := f.informer.AddEventHandler(outlet)
	if err != nil {
		return err
	}
	f.start(running)
	if err := w.list(ctx, f, handler); err != nil {
		return err
	}
	if w.forTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.forTime)
		defer cancel()
	}
	if w.once {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		cancel()
	}
	err = outlet.show(ctx)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// list waits for the first list, with its progress on a terminal. An error that lasts is also printed in a pipe.
func (w *watch) list(ctx context.Context, f *follower, handler cache.ResourceEventHandlerRegistration) error {
	bar := w.bar()
	defer bar.Clear()
	reported := false
	return f.synced(ctx, handler, func() {
		if problem := f.problem(); problem != "" && !reported {
			reported = true
			bar.Clear()
			fmt.Fprintf(w.err, "vedette: %s\n", problem)
		}
		bar.Say(fmt.Sprintf("listing %s: %s", f.resource, show.Count(cache.HandlerStateOf(handler).Handled)))
	})
}

// outlet is the output of changes.
type outlet interface {
	cache.ResourceEventHandler
	// show shows changes until the context ends. If it has ended already, show shows the changes so far.
	show(ctx context.Context) error
}

// newOutlet chooses the form of the output.
func (w *watch) newOutlet(c *cluster, r kinds.Resource, f *follower) outlet {
	namespaces := r.Namespaced && c.namespace == ""
	if w.output == "table" && (w.outTerminal || w.once) {
		return newLive(w, f, title(c, r, w.byText), namespaces)
	}
	return newLines(w, f, namespaces)
}

func title(c *cluster, r kinds.Resource, by string) string {
	text := r.String()
	switch {
	case !r.Namespaced:
	case c.namespace == "":
		text += " in all namespaces"
	default:
		text += " in " + c.namespace
	}
	if by != "" {
		text += " by " + by
	}
	return text
}

// asObject returns the object of a handler call. For a missed deletion it is the last known state.
func asObject(obj any) *unstructured.Unstructured {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	u, _ := obj.(*unstructured.Unstructured)
	return u
}
