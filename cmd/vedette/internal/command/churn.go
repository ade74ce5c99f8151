package command

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"vedette.dev/cache"
	"vedette.dev/cmd/vedette/internal/change"
	"vedette.dev/cmd/vedette/internal/kinds"
	"vedette.dev/cmd/vedette/internal/object"
	"vedette.dev/cmd/vedette/internal/show"
)

// churn is the flags of 'vedette churn'.
type churn struct {
	*streams
	clusterFlags
	selector string
	output   string
	top      int
	forTime  time.Duration
}

func newChurn(s *streams) *cobra.Command {
	c := &churn{streams: s}
	cmd := &cobra.Command{
		Use:   "churn [RESOURCE...]",
		Short: "Measure which objects change, which clients change them, and what that costs the API server",
		Long: `Watches for some time, and reports which objects change most, which field managers change them and in which fields, how many bytes
each watcher receives, and which objects are the biggest.

Without RESOURCE it watches all resources that can be watched and that you may list. It lists them once and keeps the objects in
memory: on a large cluster, name some resources, or a namespace.

The managers come from the managed fields of the objects. Bytes are the sizes of the objects as JSON, once for each change: the
server sends as much to each watcher of that kind. The report has names of objects and fields, and no values.

Ctrl-C ends the measurement early, and prints the report of the changes so far.`,
		Example: examples(`
			# Everything, for half a minute
			vedette churn

			# Pods and endpoint slices of one namespace
			vedette churn pods endpointslices -n shop --for 2m

			# For other programs
			vedette churn -A leases --for 10s -o json | jq '.managers[0]'`),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.parse(); err != nil {
				return err
			}
			if !cmd.Flags().Changed("namespace") {
				c.all = true
			}
			return c.run(cmd.Context(), args)
		},
	}
	c.add(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&c.selector, "selector", "l", "", "Labels to select by, such as app=web,tier!=cache")
	flags.StringVarP(&c.output, "output", "o", "table", "table or json")
	flags.IntVar(&c.top, "top", 10, "Maximum number of rows of each table")
	flags.DurationVar(&c.forTime, "for", 30*time.Second, "How long to measure")
	flags.Lookup("all-namespaces").Usage = "Watch all namespaces, which is the default unless --namespace is given"
	return cmd
}

func (c *churn) parse() error {
	if err := oneOf("output", c.output, "table", "json"); err != nil {
		return err
	}
	if err := validSelector(c.selector); err != nil {
		return err
	}
	if c.top < 1 {
		return usagef("--top is %d, and must be at least 1", c.top)
	}
	if c.forTime <= 0 {
		return usagef("--for is %s, and must be positive", c.forTime)
	}
	return nil
}

func (c *churn) run(ctx context.Context, names []string) error {
	cluster, err := c.connect(c.streams)
	if err != nil {
		return err
	}
	served, err := cluster.read(ctx)
	if err != nil {
		return err
	}
	resources := served.Watchable()
	if len(names) > 0 {
		if resources, err = findAll(cluster, served, names); err != nil {
			return err
		}
	}
	m := &measurement{churn: c, cluster: cluster, meter: change.NewMeter(), lenient: len(names) == 0, skipped: make(map[string]string)}
	if err := m.follow(resources); err != nil {
		return err
	}
	report, err := m.run(ctx)
	if err != nil {
		return err
	}
	if err := c.print(report); err != nil {
		return err
	}
	if errors.Is(context.Cause(ctx), errInterrupted) {
		return errInterrupted
	}
	return nil
}

// findAll returns the resources of the given names, each once.
func findAll(cluster *cluster, served *kinds.Served, names []string) ([]kinds.Resource, error) {
	var found []kinds.Resource
	seen := make(map[string]bool)
	for _, name := range names {
		r, err := cluster.find(served, name)
		if err != nil {
			return nil, err
		}
		if !seen[r.String()] {
			seen[r.String()] = true
			found = append(found, r)
		}
	}
	return found, nil
}

// measurement is one run of churn.
type measurement struct {
	*churn
	cluster   *cluster
	meter     *change.Meter
	followers []*follower
	handlers  []cache.ResourceEventHandlerRegistration
	// lenient is set if resources that cannot be listed are skipped.
	lenient bool

	mu      sync.Mutex
	skipped map[string]string
	ready   int
}

// maxMerge is how many pending changes are kept before they are coalesced. They take about as much memory as the objects.
const maxMerge = 100_000

func (m *measurement) follow(resources []kinds.Resource) error {
	client, err := m.cluster.dynamic()
	if err != nil {
		return err
	}
	masker := object.NewMasker()
	for _, r := range resources {
		f, err := m.cluster.follow(client, r, selection{labels: m.selector, managedFields: true}, masker)
		if err != nil {
			return err
		}
		handler, err := f.informer.AddEventHandlerWithOptions(m.handler(r), cache.HandlerOptions{MaxWaiting: maxMerge})
		if err != nil {
			return err
		}
		m.followers, m.handlers = append(m.followers, f), append(m.handlers, handler)
	}
	return nil
}

func (m *measurement) handler(r kinds.Resource) cache.ResourceEventHandler {
	see := func(what change.Type, old, obj any) {
		if u := asObject(obj); u != nil {
			m.meter.See(r.String(), what, asObject(old), u)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { see(change.Added, nil, obj) },
		UpdateFunc: func(old, obj any) { see(change.Updated, old, obj) },
		DeleteFunc: func(obj any) { see(change.Deleted, nil, obj) },
	}
}

// run lists everything, measures for the given time or until the context ends, and prints the report.
func (m *measurement) run(ctx context.Context) (*change.Report, error) {
	running, stop := context.WithCancel(ctx)
	defer m.wait()
	defer stop()
	bar := m.bar()
	defer bar.Clear()
	if err := m.list(ctx, running, bar); err != nil {
		return nil, err
	}
	before, _ := m.received()
	m.meter.Begin()
	began := time.Now()
	m.measure(ctx, began, bar)
	m.meter.End()
	after, coalesced := m.received()
	report := m.meter.Report(time.Since(began), m.top)
	report.Received, report.Coalesced, report.Skipped = after-before, coalesced, m.skipped
	return report, nil
}

func (m *measurement) wait() {
	for _, f := range m.followers {
		f.wait()
	}
}

// atOnce is how many resources are listed concurrently.
const atOnce = 8

// list starts the followers, and waits until they have synced. They run until the context running ends.
func (m *measurement) list(ctx, running context.Context, bar *show.Bar) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	slots := make(chan struct{}, atOnce)
	var listing sync.WaitGroup
	for i, f := range m.followers {
		listing.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() != nil {
				return
			}
			// A follower that is skipped is stopped; the others keep running.
			own, stop := context.WithCancel(running)
			context.AfterFunc(running, stop) // or with all of them
			f.start(own)
			if err := f.synced(ctx, m.handlers[i], func() {}); err != nil {
				stop()
				m.leaveOut(f, err, fail)
			}
			m.progress(bar)
		})
	}
	listing.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if len(m.skipped) == len(m.followers) {
		return fmt.Errorf("nothing can be listed%s; the first error: %s", m.cluster.inContext(), m.anySkipped())
	}
	return nil
}

// leaveOut records that a resource cannot be listed. It returns an error if the resource was named in the arguments.
func (m *measurement) leaveOut(f *follower, err error, fail context.CancelCauseFunc) {
	if !m.lenient || errors.Is(err, errInterrupted) {
		fail(err)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.skipped[f.resource.String()] = err.Error()
}

func (m *measurement) anySkipped() string {
	for _, f := range m.followers {
		if why := m.skipped[f.resource.String()]; why != "" {
			return why
		}
	}
	return "there is nothing to list"
}

func (m *measurement) progress(bar *show.Bar) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready++
	bar.Set(float64(m.ready)/float64(len(m.followers)), fmt.Sprintf("listing: %d of %d kinds", m.ready, len(m.followers)))
}

// measure waits for the end, and shows the progress.
func (m *measurement) measure(ctx context.Context, began time.Time, bar *show.Bar) {
	ctx, cancel := context.WithDeadline(ctx, began.Add(m.forTime))
	defer cancel()
	ticker := time.NewTicker(frameTime)
	defer ticker.Stop()
	for {
		elapsed := time.Since(began)
		bar.Set(elapsed.Seconds()/m.forTime.Seconds(),
			fmt.Sprintf("%s of %s, %s changes", elapsed.Truncate(time.Second), m.forTime, show.Count(m.meter.Changes())))
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// received returns how many bytes came from the server, and how many changes were coalesced.
func (m *measurement) received() (bytes int64, coalesced uint64) {
	for _, f := range m.followers {
		state := cache.StateOf(f.informer)
		bytes += state.Bytes
		for _, h := range state.Handlers {
			coalesced += h.Coalesced
		}
	}
	return bytes, coalesced
}
