package main

import (
	"context"
	"fmt"
	"io"

	"vedette.dev/testenv"
	"vedette.dev/testenv/internal/binaries"
)

func build(ctx context.Context, out, errs io.Writer) error {
	cache, err := binaries.New(errs)
	if err != nil {
		return err
	}
	set, err := cache.Get(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "kube-apiserver and etcd are in %s\n", set.Dir)
	return nil
}

func buildKubectl(ctx context.Context, out, errs io.Writer) error {
	path, err := testenv.Kubectl(ctx, errs)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "kubectl is %s\n", path)
	return nil
}

func clean(ctx context.Context, out, errs io.Writer) error {
	cache, err := binaries.New(errs)
	if err != nil {
		return err
	}
	if err := cache.Clean(ctx); err != nil {
		return fmt.Errorf("cleaning %s: %w", cache.Dir(), err)
	}
	fmt.Fprintf(out, "removed what was built from %s; what Go compiled on the way is in its own cache (go clean -cache)\n", cache.Dir())
	return nil
}
