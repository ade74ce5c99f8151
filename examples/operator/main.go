// Operator is an operator with a kind of its own: a Site has a number of pages, each in a config map. It creates, changes and
// deletes them, reverts changes by others, reports its work in the status and in events, and cleans up after a deleted site. The
// operator is in internal/sites; this is the program around it: flags, clients, informers, events, and the controller.
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
	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/informers"
	"vedette.dev/internal/sites"
	"vedette.dev/kubernetes"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/record"
	"vedette.dev/runner"
)

// resource is where sites are found.
var resource = sites.Resource(sites.Group)

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
	client, err := kubernetes.NewForConfig(program.RESTConfig)
	if err != nil {
		return err
	}
	kinds, err := dynamic.NewForConfig(program.RESTConfig)
	if err != nil {
		return err
	}
	if err := sites.Install(ctx, kinds, resource); err != nil {
		return fmt.Errorf("cannot install the kind Site: %w", err)
	}
	api, err := gentype.NewForConfig[sites.Site](program.RESTConfig, resource)
	if err != nil {
		return err
	}
	factory, err := informers.New(informers.Config{Client: client})
	if err != nil {
		return err
	}
	events := record.NewBroadcaster()
	defer events.Shutdown()
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})

	operator, err := sites.New(sites.Config{
		Resource: resource, API: api, Client: client, Factory: factory,
		Recorder: events.NewRecorder(runtime.NewScheme(), corev1.EventSource{Component: "site-operator"}),
	})
	if err != nil {
		return err
	}
	defer func() { _ = operator.Close() }()
	c, err := controller.New(controller.Config[cache.ObjectName]{
		Name:      "sites",
		Workers:   workers,
		Reconcile: operator.Reconcile,
		Sources:   operator.Sources(),
		Logger:    program.Logger,
	})
	if err != nil {
		return err
	}
	program.Factories, program.Controllers = []runner.Factory{factory}, []runner.Controller{c}
	return runner.Run(ctx, program)
}
