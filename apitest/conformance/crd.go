package conformance

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/dynamic"
)

var crdResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// gadgets is a custom kind, in a group of its own.
type gadgets struct {
	resource schema.GroupVersionResource
	crd      *unstructured.Unstructured
	in       dynamic.ResourceInterface // those in the behaviour's namespace
}

// gadgetSchema has a maximum, a default, a rule, a list with keys, and a status.
const gadgetSchema = `{"type":"object","properties":{
	"spec":{"type":"object","required":["size"],
		"x-kubernetes-validations":[{"rule":"!has(self.least) || self.least <= self.size","message":"least is more than size"}],"properties":{
		"least":{"type":"integer"},
		"size":{"type":"integer","minimum":0,"maximum":10},
		"color":{"type":"string","enum":["red","green"],"default":"red"},
		"replicas":{"type":"integer"},
		"parts":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"count":{"type":"integer"}},"required":["name"]},
			"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"]}}},
	"status":{"type":"object","properties":{"ready":{"type":"boolean"},"replicas":{"type":"integer"}}}}}`

// gadgets is the kind that most behaviours share: a real server takes seconds until it serves a new one.
func (e *env) gadgets() *gadgets {
	e.Helper()
	e.clients.defining.Lock()
	defer e.clients.defining.Unlock()
	if e.clients.defined == nil {
		if e.clients.tried {
			e.Fatal("the custom kind of another behaviour was not served; this one needs it too")
		}
		e.clients.tried = true
		e.clients.defined = e.newGadgets(e.whole)
	}
	g := *e.clients.defined
	g.in = e.dynamic.Resource(g.resource).Namespace(e.namespace())
	return &g
}

// newGadgets defines the kind until the owner is done, and waits until it is served.
func (e *env) newGadgets(owner testing.TB) *gadgets {
	e.Helper()
	group := strings.ToLower(rand.Text()[:10]) + ".conformance.example.com"
	body := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gadgets.` + group + `"},
		"spec":{"group":"` + group + `","scope":"Namespaced",
			"names":{"kind":"Gadget","plural":"gadgets","singular":"gadget","shortNames":["gdg"],"categories":["toys"]},
			"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + gadgetSchema + `},
				"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},
				"additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"}],
				"selectableFields":[{"jsonPath":".spec.color"}]},
				{"name":"v1beta1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`
	crd := &unstructured.Unstructured{}
	e.must(crd.UnmarshalJSON([]byte(body)))
	crds := e.dynamic.Resource(crdResource)
	crd, err := crds.Create(e.ctx, crd, metav1.CreateOptions{})
	e.must(err)
	owner.Cleanup(func() {
		// The contexts of the test are over by now.
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		if err := crds.Delete(ctx, crd.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			owner.Error(err)
		}
	})
	g := &gadgets{resource: schema.GroupVersionResource{Group: group, Version: "v1", Resource: "gadgets"}, crd: crd}
	g.in = e.dynamic.Resource(g.resource).Namespace(e.namespace())
	e.eventually("the kind is served", func() bool {
		_, err := g.in.List(e.ctx, metav1.ListOptions{})
		return err == nil
	})
	return g
}

// eventually is for what the server does after its answer, and of which no event tells.
func (e *env) eventually(what string, done func() bool) {
	e.Helper()
	for !done() {
		select {
		case <-e.ctx.Done():
			e.Fatalf("%s: not within %v", what, limit)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// object is a gadget with this spec, which is JSON.
func (g *gadgets) object(e *env, name, spec string) *unstructured.Unstructured {
	e.Helper()
	u := &unstructured.Unstructured{}
	e.must(u.UnmarshalJSON([]byte(`{"apiVersion":"` + g.resource.GroupVersion().String() + `","kind":"Gadget","metadata":{"name":"` + name + `"},"spec":` + spec + `}`)))
	return u
}

func (g *gadgets) create(e *env, name, spec string) *unstructured.Unstructured {
	e.Helper()
	u, err := g.in.Create(e.ctx, g.object(e, name, spec), metav1.CreateOptions{})
	e.must(err)
	return u
}

// field is a value in an object, by its path.
func field(u *unstructured.Unstructured, path ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	return value
}
