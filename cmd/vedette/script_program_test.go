package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/console"
	"vedette.dev/controller"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/runner"
)

// program runs a program with controllers, and sets PROGRAM to where it is: program [plain|page]. The controller "maps" of ConfigMaps fails
// with default/big; "restarter" is one of Pods. A plain one has no debug endpoints; nor has one with a console. Pods are packed.
func program(ts *testscript.TestScript, _ bool, args []string) {
	client, err := kubernetes.NewForConfig(of(ts).server.RESTConfig())
	ts.Check(err)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithStorage(map[metav1.Object]cache.Storage{&corev1.Pod{}: {Packed: true}}))
	failed, read := make(chan struct{}, 1000), make(chan struct{}, 1000)
	maps, err := controller.New(controller.Config[cache.ObjectName]{
		Name:    "maps",
		Sources: []controller.Source[cache.ObjectName]{controller.For(factory.Core().V1().ConfigMaps().TypedInformer())},
		Reconcile: func(_ context.Context, key cache.ObjectName) (controller.Result, error) {
			defer func() { failed <- struct{}{} }()
			if key.Name == "big" {
				return controller.Result{}, errors.New("it is too \x1b[31mbig")
			}
			return controller.Result{}, nil
		},
	})
	ts.Check(err)
	pods, err := controller.New(controller.Config[cache.ObjectName]{
		Name:    "restarter",
		Sources: []controller.Source[cache.ObjectName]{controller.For(factory.Core().V1().Pods().TypedInformer())},
		Reconcile: func(_ context.Context, key cache.ObjectName) (controller.Result, error) {
			defer func() { read <- struct{}{} }()
			_, err := factory.Core().V1().Pods().Lister().Pods(key.Namespace).Get(key.Name)
			return controller.Result{}, err
		},
	})
	ts.Check(err)
	var live http.Handler
	if slices.Contains(args, "page") {
		live = console.Handler(console.Config{Informers: []console.Informers{console.Factory("", factory)}, Controllers: []console.Controller{maps, pods}})
	}
	address := make(listening, 1)
	ctx, cancel := context.WithCancel(of(ts).ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- runner.Run(ctx, runner.Config{
			Options:     runner.Options{HealthProbeBindAddress: "127.0.0.1:0", DebugEndpoints: len(args) == 0},
			Factories:   []runner.Factory{factory},
			Controllers: []runner.Controller{maps, pods},
			Console:     live,
			KeepSignals: true,
			Logger:      slog.New(address),
		})
	}()
	ts.Defer(func() {
		cancel()
		<-ended
	})
	for i := range 3 { // the second time, the first failure is on record
		done := failed
		if i == 2 {
			done = read
		}
		select {
		case <-done:
		case err := <-ended:
			ended <- err
			ts.Fatalf("the program has ended: %v", err)
		case <-of(ts).ctx.Done():
			ts.Fatalf("the program does not work")
		}
	}
	ts.Setenv("PROGRAM", "http://"+<-address)
}

// listening is a log sink that extracts the address at which a program listens.
type listening chan string

// Enabled implements slog.Handler.
func (l listening) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (l listening) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if r.Message == "Serving" && a.Key == "address" {
			l <- a.Value.String()
		}
		return true
	})
	return nil
}

// WithAttrs implements slog.Handler.
func (l listening) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements slog.Handler.
func (l listening) WithGroup(string) slog.Handler { return l }
