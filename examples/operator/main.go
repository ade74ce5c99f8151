// Operator is an operator with a kind of its own: a Site has a number of pages, each in a config map. It creates, changes and
// deletes them, puts right what somebody else changed, says in the status and in events what it did, and cleans up when a site
// goes.
//
// Without -kubeconfig it runs on an API server in this process, for a few seconds, and shows what it does. With -kubeconfig it
// runs on that cluster until Ctrl-C; apply this to see something happen:
//
//	{apiVersion: demo.vedette.dev/v1, kind: Site, metadata: {name: home}, spec: {pages: 3, text: hello}}
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/gentype"
	"vedette.dev/informers"
	"vedette.dev/informers/custominformer"
	"vedette.dev/kubernetes"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/ownwrites"
	"vedette.dev/record"
	"vedette.dev/runner"
)

func main() {
	options := runner.Options{QPS: -1, LeaderElectResourceName: "site-operator"}
	options.AddFlags(flag.CommandLine)
	workers := flag.Int("workers", 8, "how many sites are worked on at the same time")
	flag.Parse()
	if options.Kubeconfig == "" {
		if err := demo(context.Background()); err != nil {
			log.Fatal(err)
		}
		return
	}
	config, err := options.RESTConfig()
	if err == nil {
		logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
		err = run(context.Background(), *workers, runner.Config{Options: options, RESTConfig: config, Logger: logger})
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run installs the kind, and runs the operator until the context ends.
func run(ctx context.Context, workers int, program runner.Config) error {
	config := program.RESTConfig
	if err := install(ctx, config); err != nil {
		return fmt.Errorf("cannot install the kind Site: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	sitesAPI, err := gentype.NewForConfig[Site](config, siteResource)
	if err != nil {
		return err
	}
	factory, err := informers.New(informers.Config{Client: client})
	if err != nil {
		return err
	}
	sites, err := custominformer.New(sitesAPI, custominformer.Config{Share: factory.Pool})
	if err != nil {
		return err
	}
	pages := factory.Core().V1().ConfigMaps().TypedInformer()
	if err := pages.AddTypedIndexers(cache.TypedIndexers[*corev1.ConfigMap]{byOwner: ownerUID}); err != nil {
		return err
	}
	own, err := ownwrites.New(pages, ownwrites.Config{})
	if err != nil {
		return err
	}
	defer own.Close()
	events := record.NewBroadcaster()
	defer events.Shutdown()
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})

	r := &reconciler{
		sites: sites.Lister(), sitesAPI: sitesAPI,
		pages: cache.NewTypedIndexer[*corev1.ConfigMap](own.Indexer()), own: own, client: client,
		recorder: events.NewRecorder(runtime.NewScheme(), corev1.EventSource{Component: "site-operator"}),
	}
	c, err := controller.New(controller.Config[cache.ObjectName]{
		Name:      "sites",
		Workers:   workers,
		Reconcile: r.reconcile,
		Logger:    program.Logger,
		Sources: []controller.Source[cache.ObjectName]{
			controller.For(sites.Informer(), controller.GenerationChanged[*Site]()),
			controller.Owns(pages, controller.Owner{Group: siteResource.Group, Kind: siteResource.Kind},
				controller.ByOthers[*corev1.ConfigMap](own)),
		},
	})
	if err != nil {
		return err
	}
	program.Factories, program.Controllers = []runner.Factory{factory}, []runner.Controller{c}
	return runner.Run(ctx, program)
}
