package compat

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	// The comparison loads these by their names; the imports keep them in go.mod.
	_ "k8s.io/client-go/dynamic/dynamicinformer"
	_ "k8s.io/client-go/informers"
	_ "k8s.io/client-go/metadata/metadatainformer"

	_ "vedette.dev/dynamic/dynamicinformer"
	_ "vedette.dev/informers"
	_ "vedette.dev/metadata/metadatainformer"
)

const (
	anOption = "what an option changes has no name that programs could use; here it is the Config, which has one"
	anAlias  = "an alias of an interface with the same methods, so that programs with dynamic informers do without all built-in kinds"
)

// informerPairs are the packages of informers and listers.
var informerPairs = slices.Concat(
	[]Pair{
		{Peer: "k8s.io/client-go/informers", Own: "vedette.dev/informers", Omitted: merge(
			omitted(anOption, "SharedInformerOption"),
			omitted(anAlias, "GenericInformer", "SharedInformerFactory"))},
		{Peer: "k8s.io/client-go/informers/internalinterfaces", Own: "vedette.dev/informers/internalinterfaces"},
		{Peer: "k8s.io/client-go/listers", Own: "vedette.dev/listers"},
		{Peer: "k8s.io/client-go/dynamic/dynamicinformer", Own: "vedette.dev/dynamic/dynamicinformer", Omitted: omitted(anAlias,
			"DynamicSharedInformerFactory", "NewFilteredDynamicInformer")},
		{Peer: "k8s.io/client-go/dynamic/dynamiclister", Own: "vedette.dev/dynamic/dynamiclister"},
		{Peer: "k8s.io/client-go/metadata/metadatainformer", Own: "vedette.dev/metadata/metadatainformer", Omitted: merge(
			omitted(anOption, "SharedInformerOption"),
			omitted(anAlias, "SharedInformerFactory", "NewFilteredMetadataInformer"))},
		{Peer: "k8s.io/client-go/metadata/metadatalister", Own: "vedette.dev/metadata/metadatalister"},
	},
	kindPairs("informers"), kindPairs("listers"), groupPairs())

// evictions cannot be listed: one is posted to a pod, and is gone.
var evictions = omitted("no server lists evictions: one is posted to a pod, and that is all",
	"EvictionLister", "EvictionListerExpansion", "EvictionNamespaceLister", "EvictionNamespaceListerExpansion", "NewEvictionLister")

// kindPairs is a package for each version of each API group that can be listed and watched.
func kindPairs(of string) []Pair {
	var pairs []Pair
	for _, p := range typedPairs() {
		path := strings.TrimPrefix(p.Own, "vedette.dev/kubernetes/typed/")
		if strings.HasPrefix(path, "authentication/") || strings.HasPrefix(path, "authorization/") {
			continue // reviews are only posted
		}
		pair := Pair{Peer: "k8s.io/client-go/" + of + "/" + path, Own: "vedette.dev/" + of + "/" + path}
		if of == "listers" && strings.HasPrefix(path, "policy/") {
			pair.Omitted = evictions
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// groupPairs is a package for each API group.
func groupPairs() []Pair {
	var pairs []Pair
	for _, p := range kindPairs("informers") {
		cut := func(path string) string { return path[:strings.LastIndex(path, "/")] }
		pair := Pair{Peer: cut(p.Peer), Own: cut(p.Own)}
		if !slices.ContainsFunc(pairs, func(other Pair) bool { return other.Own == pair.Own }) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// TestNoInformerIsForgotten compares the list above with the packages that the peer has.
func TestNoInformerIsForgotten(t *testing.T) {
	found, err := packages.Load(&packages.Config{Mode: packages.NeedName}, "k8s.io/client-go/informers/...", "k8s.io/client-go/listers/...",
		"k8s.io/client-go/dynamic/...", "k8s.io/client-go/metadata/...")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{
		"k8s.io/client-go/listers/imagepolicy/v1alpha1": "no server serves it: the API server asks a webhook with it",
		"k8s.io/client-go/dynamic":                      "not an informer", "k8s.io/client-go/dynamic/fake": "not an informer",
		"k8s.io/client-go/metadata": "not an informer", "k8s.io/client-go/metadata/fake": "not an informer",
	}
	for _, p := range informerPairs {
		known[p.Peer] = p.Own
	}
	for _, p := range found {
		if known[p.PkgPath] == "" {
			t.Errorf("%s has no counterpart", p.PkgPath)
		}
	}
}
