package compat

import (
	// The comparison loads these by their names; the imports keep them in go.mod.
	_ "k8s.io/client-go/discovery/cached/disk"
	_ "k8s.io/client-go/discovery/cached/memory"
	_ "k8s.io/client-go/dynamic"
	_ "k8s.io/client-go/metadata"
	_ "k8s.io/client-go/restmapper"
	_ "k8s.io/client-go/scale/fake"

	_ "vedette.dev/discovery/cached/disk"
	_ "vedette.dev/discovery/cached/memory"
	_ "vedette.dev/dynamic"
	_ "vedette.dev/metadata"
	_ "vedette.dev/restmapper"
	_ "vedette.dev/scale/fake"
)

// dynamicPairs are the packages that learn from the server what it serves.
var dynamicPairs = []Pair{
	{Peer: "k8s.io/client-go/dynamic", Own: "vedette.dev/dynamic"},
	{Peer: "k8s.io/client-go/metadata", Own: "vedette.dev/metadata"},
	{Peer: "k8s.io/client-go/discovery", Own: "vedette.dev/discovery", Omitted: merge(
		omitted("OpenAPI documents are bytes (OpenAPIV2, OpenAPIV3Paths, OpenAPIV3Schema): the types of gnostic are heavy",
			"DiscoveryClient.OpenAPISchema", "DiscoveryClient.OpenAPISchemaWithContext", "DiscoveryClient.OpenAPIV3", "DiscoveryClient.OpenAPIV3WithContext",
			"OpenAPISchemaInterface", "OpenAPISchemaInterfaceWithContext", "OpenAPIV3SchemaInterface", "OpenAPIV3SchemaInterfaceWithContext",
			"OpenAPIV3ToSchemaInterfaceWithContext", "ToOpenAPIClientWithContext", "ToOpenAPISchemaInterfaceWithContext"),
		omitted("without the methods for OpenAPI; all others are there",
			"AggregatedDiscoveryInterface", "AggregatedDiscoveryInterfaceWithContext", "CachedDiscoveryInterface", "CachedDiscoveryInterfaceWithContext",
			"DiscoveryInterface", "DiscoveryInterfaceWithContext", "DiscoveryInterfaces"),
	)},
	{Peer: "k8s.io/client-go/discovery/cached/memory", Own: "vedette.dev/discovery/cached/memory"},
	{Peer: "k8s.io/client-go/discovery/cached/disk", Own: "vedette.dev/discovery/cached/disk", Omitted: omitted("OpenAPI models are left out, as in discovery",
		"CachedDiscoveryClient.OpenAPISchema", "CachedDiscoveryClient.OpenAPISchemaWithContext", "CachedDiscoveryClient.OpenAPIV3", "CachedDiscoveryClient.OpenAPIV3WithContext")},
	{Peer: "k8s.io/client-go/scale", Own: "vedette.dev/scale"},
	{Peer: "k8s.io/client-go/scale/fake", Own: "vedette.dev/scale/fake"},
	{Peer: "k8s.io/client-go/restmapper", Own: "vedette.dev/restmapper"},
}
