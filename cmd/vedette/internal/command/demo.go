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
	"vedette.dev/clientcmd"
	"vedette.dev/cmd/vedette/internal/demo"
	"vedette.dev/cmd/vedette/internal/show"
	"vedette.dev/internal/plainurl"
	"vedette.dev/internal/sites"
)

// demonstrate is the flags of 'vedette demo'.
type demonstrate struct {
	*streams
	clusterFlags
	pageFlags
	objects int
	rate    float64
	shards  int
	forTime time.Duration
}

func newDemo(s *streams) *cobra.Command {
	d := &demonstrate{streams: s}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run informers and an operator, inject faults, and verify that they recover",
		Long: `Runs an API server in this process, fills it with objects that change all the time, and runs the parts of Vedette on it: a factory
of informers, a ShardingInformer, and an operator with a kind of its own. The console shows them in the browser. Every few seconds the
demo injects a fault: it cuts all connections, compacts the history, stalls a handler, or refuses writes. It prints each fault, and
when the informers and the operator have recovered.

At the end, with --for or Ctrl-C, it stops the changes, waits until all of them are processed, and compares the objects of the server
with each cache and with the calls that each handler received, and checks the work of the operator. If anything differs, the exit
status is 1.

With --kubeconfig or --context it runs on that cluster, in a namespace of its own, with config maps and a kind of its own, both of
which it removes at the end. Faults are then injected on the side of the client only.`,
		Example: examples(`
			vedette demo

			# In a script: 20 seconds, and a verdict
			vedette demo --for 20s --no-browser

			# More of everything
			vedette demo --objects 20000 --rate 2000 --shards 16`),
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.parse(cmd); err != nil {
				return err
			}
			return d.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&d.objects, "objects", 0, "Initial number of objects (default 1000, and 100 on a cluster)")
	flags.Float64Var(&d.rate, "rate", 0, "Changes per second (default 100, and 10 on a cluster)")
	flags.IntVar(&d.shards, "shards", 4, "Shards of the ShardingInformer")
	flags.DurationVar(&d.forTime, "for", 0, "End after this time, with the verdict; 0 means with Ctrl-C")
	d.pageFlags.add(cmd)
	flags.StringVar(&d.kubeconfig, clientcmd.RecommendedConfigPathFlag, "", "Run on the cluster of this kubeconfig file")
	flags.StringVar(&d.overrides.CurrentContext, "context", "", "Run on the cluster of this context of the kubeconfig")
	_ = cmd.MarkFlagFilename(clientcmd.RecommendedConfigPathFlag) // the only error is that there is no such flag
	return cmd
}

// parse validates the flags.
func (d *demonstrate) parse(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case given("objects") && (d.objects < 1 || d.objects > 1_000_000):
		return usagef("--objects is %d, and must be from 1 to 1,000,000", d.objects)
	case given("rate") && !(d.rate > 0 && d.rate <= 100_000):
		return usagef("--rate is %v, and must be more than 0 and at most 100,000", d.rate)
	case d.shards < 1 || d.shards > 256:
		return usagef("--shards is %d, and must be from 1 to 256", d.shards)
	case given("kubeconfig") && d.kubeconfig == "":
		return usagef("--kubeconfig is empty; it must be a file, or not be given")
	}
	if err := notNegative("for", d.forTime); err != nil {
		return err
	}
	return d.pageFlags.parse()
}

// onCluster reports whether it runs on a cluster, and not on a server of its own. KUBECONFIG alone does not select a cluster.
func (d *demonstrate) onCluster() bool { return d.kubeconfig != "" || d.overrides.CurrentContext != "" }

// run starts the demo, and ends it.
func (d *demonstrate) run(ctx context.Context) (err error) {
	news := &news{out: d.out, live: d.outTerminal}
	config := demo.Config{Objects: d.objects, Rate: d.rate, Shards: d.shards, Pause: d.pause(), Tell: news.add}
	bar := d.bar()
	defer bar.Clear()
	config.Progress = func(done, total int, what string) {
		bar.Set(float64(done)/float64(total), fmt.Sprintf("%s of %s %s", show.Count(done), show.Count(total), what))
	}
	listener, err := d.reserve() // first, so that an invalid address fails early
	if err != nil {
		return err
	}
	defer listener.Close() // also closed by the console, if it is served
	where := "an API server in this process"
	if d.onCluster() {
		d.overrides.Timeout = "0" // there is no flag for it here
		cluster, err := d.connect(d.streams)
		if err != nil {
			return err
		}
		config.REST, where = cluster.config, plainurl.Hide(cluster.config.Host)
		if _, err := cluster.read(ctx); err != nil { // first, because its errors have hints
			return err
		}
	} else {
		server, err := apitest.Start(apitest.Config{ShardSelectors: true, Tokens: map[string]apitest.User{
			rand.Text(): {Name: "demo", Groups: []string{"system:masters"}},
		}})
		if err != nil {
			return err
		}
		defer server.Close()
		config.Server = server
	}
	bar.Say("starting")
	machine, err := demo.Start(ctx, config)
	if err != nil {
		if left := (*demo.LeftError)(nil); errors.As(err, &left) && interrupted(ctx, err) != err {
			d.complain(left) // more important than that it was interrupted
		}
		return interrupted(ctx, err)
	}
	defer func() {
		if machine.Namespace() != "" {
			bar.Say("removing namespace " + machine.Namespace() + "; a second Ctrl-C leaves it there")
		}
		left := machine.Close()
		bar.Clear()
		err = d.note(err, left)
	}()
	bar.Clear()
	return d.show(ctx, machine, news, where, listener)
}

// note prints what is left in a cluster if the exit status does not show it: because of another error, or because removal is under way.
func (d *demonstrate) note(err, left error) error {
	var removing *demo.LeftError
	if errors.Is(err, errInterrupted) && left != nil || errors.As(left, &removing) && removing.UnderWay {
		d.complain(left)
		return err
	}
	return errors.Join(err, left)
}

// pause returns the time between two faults. It is shorter for short demos, so that they have faults, too.
func (d *demonstrate) pause() time.Duration {
	const usual = 6 * time.Second
	if d.forTime == 0 {
		return usual
	}
	return min(usual, max(time.Second, d.forTime/6))
}

// show shows the demo until it ends, and then the verdict.
func (d *demonstrate) show(ctx context.Context, machine *demo.Demo, news *news, where string, listener net.Listener) error {
	page := d.open(listener, machine.Console())
	defer page.close()
	fmt.Fprintf(d.out, "Running on %s until %s. The console is at %s\n", where, until(d.forTime), page.url)
	if n := machine.Namespace(); n != "" {
		fmt.Fprintf(d.out, "All objects are in namespace %s, which is removed at the end.\n", n)
	}
	hint := fmt.Sprintf("To see the state of a key and its cause: %s explain %s %s --url %s", d.program(), sites.Kind, machine.Site(), shellQuote(page.url))
	fmt.Fprintln(d.out, hint)
	d.browse(d.streams, page.url)
	news.began = time.Now() // nothing has happened yet
	if err := d.watch(ctx, machine, news, page.url, hint); err != nil {
		return err
	}
	if d.forTime > 0 && ctx.Err() != nil {
		fmt.Fprintln(d.err, "vedette: ended early, without a verdict")
		return context.Cause(ctx)
	}
	return d.judge(context.WithoutCancel(ctx), machine)
}

// watch shows the status until the demo ends.
func (d *demonstrate) watch(ctx context.Context, machine *demo.Demo, news *news, url, hint string) error {
	running, stop := within(ctx, d.forTime)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- machine.Run(running) }()
	draw, finish := d.lines(machine), func() {}
	if d.outTerminal {
		screen := d.screen()
		draw, finish = func() error { return screen.Draw(news.frame(machine.Status(), url, hint, d.forTime)) }, screen.Close
	}
	ticker := time.NewTicker(frameTime)
	defer ticker.Stop()
	var failed error
	for {
		select {
		case err := <-ended:
			finish()
			if errors.Is(err, errInterrupted) {
				err = nil
			}
			return errors.Join(err, failed)
		case <-ticker.C:
			if failed == nil {
				if failed = draw(); failed != nil {
					stop()
				}
			}
		}
	}
}

// quietTime is how long pending changes may take.
const quietTime = time.Minute

// judge compares, and prints the verdict.
func (d *demonstrate) judge(ctx context.Context, machine *demo.Demo) error {
	bar := d.bar()
	defer bar.Clear()
	if !d.errTerminal {
		fmt.Fprintln(d.out, "No more changes. Waiting for pending changes.")
	}
	verdict, err := machine.Verdict(ctx, quietTime, bar.Say)
	bar.Clear()
	if err != nil {
		return fmt.Errorf("no verdict: %w", err)
	}
	return d.printVerdict(verdict)
}
