package apitest_test

import (
	"context"
	"testing"

	"vedette.dev/apitest"
	"vedette.dev/apitest/conformance"
)

// What is expected here was first seen on a real kube-apiserver: see testenv/e2e.
func TestConformance(t *testing.T) {
	const plain = "plain"
	server := apitest.New(t, apitest.Config{
		NoControllers:  true, // there are none beside the real one, either
		ShardSelectors: true,
		Tokens: map[string]apitest.User{
			apitest.AdminToken: {Name: "admin", Groups: []string{"system:masters", "system:authenticated"}},
			plain:              {Name: "plain", Groups: []string{"system:authenticated"}},
		},
	})
	plainConfig := server.RESTConfig()
	plainConfig.BearerToken = plain
	conformance.Run(t, conformance.Target{
		Config: server.RESTConfig(),
		Plain:  plainConfig,
		Shards: true,
		Skip: map[string]string{
			"custom/rules of the schema are enforced": "the rules are CEL expressions, and apitest has no CEL: see docs/apitest.md",
		},
		Compact: func(context.Context) error {
			server.Compact()
			return nil
		},
	})
}
