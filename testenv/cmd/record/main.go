// Command record starts the real API server and writes down what apitest says in its place: discovery, OpenAPI documents,
// and samples of its answers for tests. Run it after the version of the server was raised:
//
//	cd testenv && go run ./cmd/record ../apitest/internal/kinds
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"vedette.dev/testenv"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: record FOLDER-OF-PACKAGE-KINDS")
		os.Exit(2)
	}
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir string) (err error) {
	env, err := testenv.Start(ctx, testenv.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, env.Stop()) }()
	s, err := newServer(env.RESTConfig())
	if err != nil {
		return err
	}
	defer s.client.CloseIdleConnections()
	if err := s.recordDocuments(ctx, filepath.Join(dir, "recorded.zip")); err != nil {
		return err
	}
	return s.recordSamples(ctx, filepath.Join(dir, "testdata"))
}
