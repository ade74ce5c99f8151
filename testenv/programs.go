package testenv

import (
	"context"
	"io"

	"vedette.dev/testenv/internal/binaries"
	"vedette.dev/testenv/internal/controlplane"
)

// Programs returns the folder of kube-apiserver and etcd, and builds them if necessary: for tests that start them in
// their own way. Progress is written to progress.
func Programs(ctx context.Context, progress io.Writer) (dir string, err error) {
	cache, err := binaries.New(progress)
	if err != nil {
		return "", err
	}
	set, err := cache.Get(ctx)
	if err != nil {
		return "", err
	}
	return set.Dir, nil
}

// Kubectl returns the path of a kubectl of the same version as the API server, and builds it if necessary: so a test
// that uses it has the same result on each machine, whatever is installed there. It takes a minute the first time, or
// less if the API server has been built before. Progress is written to progress.
func Kubectl(ctx context.Context, progress io.Writer) (string, error) {
	cache, err := binaries.NewKubectl(progress)
	if err != nil {
		return "", err
	}
	set, err := cache.Get(ctx)
	if err != nil {
		return "", err
	}
	return set.Path(controlplane.Kubectl), nil
}
