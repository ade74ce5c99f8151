package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"vedette.dev/testenv"
)

type runOptions struct {
	gates         gates
	logs          bool
	apiServerArgs []string
}

// gates is the value of -feature-gates, in the form that kube-apiserver takes.
type gates map[string]bool

func (g *gates) String() string { return "" }

func (g *gates) Set(list string) error {
	if *g == nil {
		*g = gates{}
	}
	for gate := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(gate, "=")
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is not of the form NAME=true or NAME=false", gate)
		}
		(*g)[name] = on
	}
	return nil
}

const ready = `An API server is running at %[1]s, until Ctrl-C. In another terminal:

  export KUBECONFIG=%[2]s

  kubectl get namespaces
  kubectl create configmap hello --from-literal=who=world
  kubectl --context user get pods        # a user who may not
  tail -f %[3]s
`

// run leaves an environment running until ctx is done or the API server has died.
func run(ctx context.Context, o runOptions, out, errs io.Writer) error {
	cfg := testenv.Config{FeatureGates: o.gates, APIServerArgs: o.apiServerArgs, Progress: errs}
	if o.logs {
		cfg.Output = errs
	}
	env, err := testenv.Start(ctx, cfg)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, ready, env.Host(), env.Kubeconfig(), env.APIServerLog())
	select {
	case <-ctx.Done():
		fmt.Fprintln(out, "\nStopping.")
		return env.Stop()
	case <-env.APIServerDone():
		return errors.Join(errors.New("the API server is gone, so this ends too"), env.Stop())
	}
}
