package e2e

import (
	"context"
	"testing"

	"vedette.dev/apitest/conformance"
	"vedette.dev/testenv"
)

// The real server is the judge of what the suite expects; apitest then has to do the same.
func TestConformance(t *testing.T) {
	env := shared.Env(t)
	conformance.Run(t, conformance.Target{
		Config: env.RESTConfig(),
		Plain:  env.PlainRESTConfig(),
		// Only both together make it forget all that a client may ask for.
		Compact: func(ctx context.Context) error {
			if _, err := env.Compact(ctx); err != nil {
				return err
			}
			return env.RestartAPIServer(ctx)
		},
	})
}

// Sharding is off by default.
func TestConformanceOfShards(t *testing.T) {
	env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{"ShardedListAndWatch": true}})
	conformance.Run(t, conformance.Target{Config: env.RESTConfig(), Shards: true, Only: []string{"shards"}})
}
