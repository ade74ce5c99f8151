package compat

import (
	// The comparison loads these by their names; the imports keep them in go.mod.
	_ "k8s.io/client-go/discovery/fake"
	_ "k8s.io/client-go/dynamic/fake"
	_ "k8s.io/client-go/kubernetes/fake"
	_ "k8s.io/client-go/metadata/fake"
	_ "k8s.io/client-go/rest/fake"
	_ "k8s.io/client-go/testing"

	_ "vedette.dev/discovery/fake"
	_ "vedette.dev/dynamic/fake"
	_ "vedette.dev/kubernetes/fake"
	_ "vedette.dev/metadata/fake"
	_ "vedette.dev/rest/fake"
	_ "vedette.dev/testing"
)

// fakePairs are the clients for tests.
var fakePairs = append(groupFakePairs(), []Pair{
	{Peer: "k8s.io/client-go/testing", Own: "vedette.dev/testing", Declared: "vedette.dev/internal/testing"},
	{Peer: "k8s.io/client-go/kubernetes/fake", Own: "vedette.dev/kubernetes/fake"},
	{Peer: "k8s.io/client-go/dynamic/fake", Own: "vedette.dev/dynamic/fake"},
	{Peer: "k8s.io/client-go/metadata/fake", Own: "vedette.dev/metadata/fake"},
	{Peer: "k8s.io/client-go/rest/fake", Own: "vedette.dev/rest/fake"},
	{Peer: "k8s.io/client-go/discovery/fake", Own: "vedette.dev/discovery/fake", Omitted: omitted("OpenAPI models are left out, as in discovery",
		"FakeDiscovery.OpenAPISchema", "FakeDiscovery.OpenAPISchemaWithContext", "FakeDiscovery.OpenAPIV3", "FakeDiscovery.OpenAPIV3WithContext")},
}...)
