package conformance

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var custom = []behaviour{
	{"a definition is established, and its names accepted", func(e *env) {
		g := e.gadgets()
		crd, err := e.dynamic.Resource(crdResource).Get(e.ctx, g.crd.GetName(), metav1.GetOptions{})
		e.must(err)
		conditions, _ := field(crd, "status", "conditions").([]any)
		is := map[any]any{}
		for _, c := range conditions {
			is[at(c, "type")] = at(c, "status")
		}
		if is["Established"] != "True" || is["NamesAccepted"] != "True" || field(crd, "status", "acceptedNames", "kind") != "Gadget" {
			e.Errorf("%v", crd.Object["status"])
		}
	}},
	{"objects can be written, listed, watched and deleted", func(e *env) {
		g := e.gadgets()
		u := g.create(e, "a", `{"size":3}`)
		if u.GetUID() == "" || u.GetGeneration() != 1 || u.GetKind() != "Gadget" {
			e.Errorf("%v", u.Object)
		}
		l, err := g.in.List(e.ctx, metav1.ListOptions{})
		e.must(err)
		if len(l.Items) != 1 || l.GetKind() != "GadgetList" || l.Items[0].GetKind() != "Gadget" {
			e.Errorf("%v", l)
		}
		w, err := g.in.Watch(e.ctx, metav1.ListOptions{ResourceVersion: l.GetResourceVersion()})
		e.must(err)
		e.must(g.in.Delete(e.ctx, "a", metav1.DeleteOptions{}))
		e.stream(w).expect("DELETED a")
	}},
	{"items of a list say their kind", func(e *env) {
		g := e.gadgets()
		g.create(e, "a", `{"size":3}`)
		got := e.get("/apis/" + g.resource.Group + "/v1/namespaces/" + e.ns + "/gadgets")
		items, _ := got["items"].([]any)
		if len(items) != 1 || at(items[0], "kind") != "Gadget" || at(items[0], "apiVersion") != g.resource.GroupVersion().String() {
			e.Errorf("%v", got)
		}
	}},
	{"the schema is enforced, with a cause for each field", func(e *env) {
		g := e.gadgets()
		for spec, want := range map[string]cause{
			`{"size":11}`:               {metav1.CauseTypeFieldValueInvalid, "spec.size"},
			`{"size":-1}`:               {metav1.CauseTypeFieldValueInvalid, "spec.size"},
			`{}`:                        {metav1.CauseTypeFieldValueRequired, "spec.size"},
			`{"size":"x"}`:              {metav1.CauseTypeTypeInvalid, "spec.size"},
			`{"size":1,"color":"blue"}`: {metav1.CauseTypeFieldValueNotSupported, "spec.color"},
		} {
			_, err := g.in.Create(e.ctx, g.object(e, "a", spec), metav1.CreateOptions{})
			refusal := invalid("Gadget", "a", want)
			refusal.group = g.resource.Group
			e.refused(err, refusal)
		}
	}},
	{"rules of the schema are enforced", func(e *env) {
		g := e.gadgets()
		g.create(e, "a", `{"size":3,"least":3}`)
		_, err := g.in.Create(e.ctx, g.object(e, "b", `{"size":3,"least":4}`), metav1.CreateOptions{})
		want := invalid("Gadget", "b", cause{metav1.CauseTypeFieldValueInvalid, "spec"})
		want.group, want.message = g.resource.Group, "least is more than size"
		e.refused(err, want)
	}},
	{"an object is served in all versions of its definition", func(e *env) {
		g := e.gadgets()
		u := g.create(e, "a", `{"size":3}`)
		older, err := e.dynamic.Resource(g.resource.GroupResource().WithVersion("v1beta1")).Namespace(e.ns).Get(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		if older.GetAPIVersion() != g.resource.Group+"/v1beta1" || older.GetUID() != u.GetUID() || older.GetResourceVersion() != u.GetResourceVersion() || field(older, "spec", "size") != int64(3) {
			e.Errorf("%v", older.Object)
		}
	}},
	{"unknown fields are pruned", func(e *env) {
		g := e.gadgets()
		u := g.create(e, "a", `{"size":3,"odd":{"x":1}}`)
		if field(u, "spec", "odd") != nil || field(u, "spec", "size") != int64(3) {
			e.Errorf("%v", u.Object)
		}
	}},
	{"strict validation refuses unknown fields", func(e *env) {
		g := e.gadgets()
		_, err := g.in.Create(e.ctx, g.object(e, "a", `{"size":3,"odd":1}`), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		e.refused(err, badRequest(`unknown field "spec.odd"`))
	}},
	{"defaults are filled in", func(e *env) {
		g := e.gadgets()
		if u := g.create(e, "a", `{"size":3}`); field(u, "spec", "color") != "red" {
			e.Errorf("%v", u.Object)
		}
	}},
	{"discovery has the kind, with its short and category names", func(e *env) {
		g := e.gadgets()
		var found metav1.APIResource
		e.eventually("discovery has it", func() bool {
			l, err := e.disco.ServerResourcesForGroupVersionWithContext(e.ctx, g.resource.GroupVersion().String())
			if err == nil && len(l.APIResources) > 0 {
				found = l.APIResources[0]
			}
			return found.Name == "gadgets"
		})
		if found.Kind != "Gadget" || !found.Namespaced || found.SingularName != "gadget" || strings.Join(found.ShortNames, " ") != "gdg" || strings.Join(found.Categories, " ") != "toys" {
			e.Errorf("%+v", found)
		}
	}},
	{"a table has the columns of the definition", func(e *env) {
		g := e.gadgets()
		g.create(e, "a", `{"size":3}`)
		table := e.table("/apis/" + g.resource.Group + "/v1/namespaces/" + e.ns + "/gadgets")
		if len(table.ColumnDefinitions) != 2 || table.ColumnDefinitions[1].Name != "Size" || len(table.Rows) != 1 || table.Rows[0].Cells[1] != 3.0 {
			e.Errorf("%+v", table)
		}
	}},
	{"selectable fields can be selected by, others not", func(e *env) {
		g := e.gadgets()
		g.create(e, "a", `{"size":3}`)
		g.create(e, "b", `{"size":3,"color":"green"}`)
		for selector, want := range map[string]string{"spec.color=green": "b", "metadata.name=a": "a", "spec.color!=green": "a"} {
			l, err := g.in.List(e.ctx, metav1.ListOptions{FieldSelector: selector})
			e.must(err)
			if len(l.Items) != 1 || l.Items[0].GetName() != want {
				e.Errorf("%s: %v", selector, l.Items)
			}
		}
		_, err := g.in.List(e.ctx, metav1.ListOptions{FieldSelector: "spec.size=3"})
		e.refused(err, badRequest("field label not supported: spec.size"))
	}},
	{"without its definition the kind is not found", func(e *env) {
		g := e.newGadgets(e)
		g.create(e, "a", `{"size":3}`)
		e.must(e.dynamic.Resource(crdResource).Delete(e.ctx, g.crd.GetName(), metav1.DeleteOptions{}))
		e.eventually("the kind is gone", func() bool {
			_, err := g.in.List(e.ctx, metav1.ListOptions{})
			status := metav1.Status{}
			if err != nil {
				status = *e.status(err)
			}
			return status.Code == http.StatusNotFound
		})
	}},
	{"a definition whose name is not plural.group is invalid", func(e *env) {
		a := e.ask("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata":{"name":"wrong.example.com"},"spec":{
			"group":"conformance.example.com","scope":"Namespaced","names":{"kind":"Gadget","plural":"gadgets"},
			"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`)
		want := invalid("CustomResourceDefinition", "wrong.example.com", cause{metav1.CauseTypeFieldValueInvalid, "metadata.name"})
		want.group = "apiextensions.k8s.io"
		e.refused(a.err, want)
	}},
	{"a strategic patch is not supported", func(e *env) {
		g := e.gadgets()
		g.create(e, "a", `{"size":3}`)
		_, err := g.in.Patch(e.ctx, "a", types.StrategicMergePatchType, []byte(`{"spec":{"size":4}}`), metav1.PatchOptions{})
		e.refused(err, refusal{code: http.StatusUnsupportedMediaType, reason: metav1.StatusReasonUnsupportedMediaType})
	}},
	{"protobuf is not acceptable, and JSON comes if both are", func(e *env) {
		g := e.gadgets()
		path := "/apis/" + g.resource.Group + "/v1/namespaces/" + e.ns + "/gadgets"
		a := e.ask("GET", path, "", "Accept", "application/vnd.kubernetes.protobuf")
		e.refused(a.err, notAcceptable(""))
		a = e.ask("GET", path, "", "Accept", "application/vnd.kubernetes.protobuf,application/json")
		if e.must(a.err); a.contentType != "application/json" {
			e.Errorf("%s", a.contentType)
		}
	}},
}
