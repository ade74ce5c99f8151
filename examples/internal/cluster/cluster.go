// Package cluster provides a cluster for the examples.
package cluster

import (
	"context"
	"os"
	"os/signal"
	"time"

	"vedette.dev/apitest"
	"vedette.dev/clientcmd"
	"vedette.dev/rest"
)

// Connect returns the configuration for the cluster of a kubeconfig file or, if it is empty, for an API server in this
// process with a hundred pods, some of which change ten times a second. end stops what it started.
func Connect(kubeconfig string) (config *rest.Config, end func(), err error) {
	if kubeconfig != "" {
		config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
		return config, func() {}, err
	}
	server, err := apitest.Start(apitest.Config{})
	if err != nil {
		return nil, nil, err
	}
	if err := server.Fill(context.Background(), apitest.Load{Pods: 100}); err != nil {
		server.Close()
		return nil, nil, err
	}
	if _, err := server.Churn(context.Background(), apitest.Churn{Rate: 10}); err != nil {
		server.Close()
		return nil, nil, err
	}
	return server.RESTConfig(), server.Close, nil
}

// Context returns a context that ends with Ctrl-C, and without a cluster after some time.
func Context(kubeconfig string, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	if kubeconfig == "" {
		time.AfterFunc(limit, stop)
	}
	return ctx, stop
}
