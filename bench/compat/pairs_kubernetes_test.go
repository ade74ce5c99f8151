package compat

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	// The comparison loads these by their names; the imports keep them in go.mod.
	_ "k8s.io/client-go/kubernetes"
	_ "vedette.dev/kubernetes"
)

// kubernetesPairs are the clients of the built-in kinds.
var kubernetesPairs = append(typedPairs(),
	Pair{Peer: "k8s.io/client-go/kubernetes", Own: "vedette.dev/kubernetes", Omitted: omitted(
		"promoted from discovery, which does without the OpenAPI models",
		"Clientset.OpenAPISchema", "Clientset.OpenAPISchemaWithContext", "Clientset.OpenAPIV3", "Clientset.OpenAPIV3WithContext")},
	Pair{Peer: "k8s.io/client-go/kubernetes/scheme", Own: "vedette.dev/kubernetes/scheme"},
)

// typedPairs is a package for each version of each API group.
func typedPairs() []Pair {
	var pairs []Pair
	for _, group := range []struct{ name, versions string }{
		{"admissionregistration", "v1 v1beta1 v1alpha1"},
		{"apiserverinternal", "v1alpha1"},
		{"apps", "v1 v1beta2 v1beta1"},
		{"authentication", "v1 v1beta1 v1alpha1"},
		{"authorization", "v1 v1beta1"},
		{"autoscaling", "v2 v1"},
		{"batch", "v1 v1beta1"},
		{"certificates", "v1 v1beta1 v1alpha1"},
		{"coordination", "v1 v1beta1 v1alpha2"},
		{"core", "v1"},
		{"discovery", "v1 v1beta1"},
		{"events", "v1 v1beta1"},
		{"extensions", "v1beta1"},
		{"flowcontrol", "v1 v1beta3 v1beta2 v1beta1"},
		{"lifecycle", "v1alpha1"},
		{"networking", "v1 v1beta1"},
		{"node", "v1 v1beta1 v1alpha1"},
		{"policy", "v1 v1beta1"},
		{"rbac", "v1 v1beta1 v1alpha1"},
		{"resource", "v1 v1beta2 v1beta1 v1alpha3"},
		{"scheduling", "v1 v1beta1 v1alpha3"},
		{"storage", "v1 v1beta1 v1alpha1"},
		{"storagemigration", "v1 v1beta1"},
	} {
		for version := range strings.FieldsSeq(group.versions) {
			path := "/kubernetes/typed/" + group.name + "/" + version
			pairs = append(pairs, Pair{Peer: "k8s.io/client-go" + path, Own: "vedette.dev" + path})
		}
	}
	return pairs
}

// groupFakePairs are the fakes of the packages of typedPairs.
func groupFakePairs() []Pair {
	var pairs []Pair
	for _, p := range typedPairs() {
		pairs = append(pairs, Pair{Peer: p.Peer + "/fake", Own: p.Own + "/fake"})
	}
	return pairs
}

// TestNoTypedClientIsForgotten compares the list above with the packages that the peer has.
func TestNoTypedClientIsForgotten(t *testing.T) {
	found, err := packages.Load(&packages.Config{Mode: packages.NeedName}, "k8s.io/client-go/kubernetes/typed/...")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, p := range found {
		want = append(want, p.PkgPath)
	}
	for _, p := range append(typedPairs(), groupFakePairs()...) {
		got = append(got, p.Peer)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the list has\n%v, the peer\n%v", got, want)
	}
}

// TestApplyTakesThePeersConfigurations: where the peer's Apply takes a pointer to the kind's configuration, ours takes an
// interface. So that a call compiles as it is, every configuration must satisfy it.
func TestApplyTakesThePeersConfigurations(t *testing.T) {
	const own = "vedette.dev/gentype"
	paths := []string{own}
	for _, p := range typedPairs() {
		paths = append(paths, p.Peer)
	}
	loaded := loadTypes(t, paths...)
	contract := loaded[own].Scope().Lookup("ApplyConfiguration").Type().Underlying().(*types.Interface)
	tried := 0
	for _, p := range typedPairs() {
		for _, configuration := range configurationsIn(loaded[p.Peer]) {
			tried++
			if !types.Implements(configuration, contract) {
				t.Errorf("%v cannot be given to our Apply", configuration)
			}
		}
	}
	if tried < 200 {
		t.Errorf("only %d were tried", tried)
	}
}

// configurationsIn are the parameters of Apply methods of the interfaces in a package.
func configurationsIn(p *types.Package) []types.Type {
	var found []types.Type
	for _, name := range p.Scope().Names() {
		i, ok := p.Scope().Lookup(name).Type().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for m := range i.Methods() {
			if !strings.HasPrefix(m.Name(), "Apply") {
				continue
			}
			for v := range m.Signature().Params().Variables() {
				if _, ok := types.Unalias(v.Type()).(*types.Pointer); ok {
					found = append(found, v.Type())
				}
			}
		}
	}
	return found
}
