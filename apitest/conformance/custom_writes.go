package conformance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

var customWrites = []behaviour{
	{"the status is written through its subresource, and only there", func(e *env) {
		g := e.gadgets()
		u := g.create(e, "a", `{"size":3}`)
		e.must(unstructured.SetNestedField(u.Object, true, "status", "ready"))
		u, err := g.in.Update(e.ctx, u, metav1.UpdateOptions{})
		e.must(err)
		if field(u, "status", "ready") != nil {
			e.Errorf("%v", u.Object)
		}
		e.must(unstructured.SetNestedField(u.Object, true, "status", "ready"))
		e.must(unstructured.SetNestedField(u.Object, int64(9), "spec", "size"))
		u, err = g.in.UpdateStatus(e.ctx, u, metav1.UpdateOptions{})
		e.must(err)
		if field(u, "status", "ready") != true || field(u, "spec", "size") != int64(3) || u.GetGeneration() != 1 {
			e.Errorf("%v", u.Object)
		}
	}},
	{"the generation counts changes outside of metadata and status", func(e *env) {
		g := e.gadgets()
		u := g.create(e, "a", `{"size":3}`)
		u.SetLabels(map[string]string{"l": "1"})
		u, err := g.in.Update(e.ctx, u, metav1.UpdateOptions{})
		e.must(err)
		if u.GetGeneration() != 1 {
			e.Errorf("generation %d after a change of labels", u.GetGeneration())
		}
		u, err = g.in.Patch(e.ctx, "a", types.MergePatchType, []byte(`{"spec":{"size":4}}`), metav1.PatchOptions{})
		e.must(err)
		if u.GetGeneration() != 2 {
			e.Errorf("generation %d after a change of the spec", u.GetGeneration())
		}
	}},
	{"an update has to name the version that it replaces", func(e *env) {
		g := e.gadgets()
		u := g.create(e, "a", `{"size":3}`)
		old := u.GetResourceVersion()
		u.SetResourceVersion("")
		_, err := g.in.Update(e.ctx, u, metav1.UpdateOptions{})
		want := invalid("gadgets", "a", cause{metav1.CauseTypeFieldValueInvalid, "metadata.resourceVersion"})
		want.group, want.message = g.resource.Group, "must be specified for an update"
		e.refused(err, want)
		_, err = g.in.Patch(e.ctx, "a", types.MergePatchType, []byte(`{"spec":{"size":4}}`), metav1.PatchOptions{})
		e.must(err)
		u.SetResourceVersion(old)
		_, err = g.in.Update(e.ctx, u, metav1.UpdateOptions{})
		want = conflict("gadgets", "a", modified)
		want.group = g.resource.Group
		e.refused(err, want)
	}},
	{"merge and JSON patches apply, and are validated", func(e *env) {
		g := e.gadgets()
		g.create(e, "a", `{"size":3}`)
		u, err := g.in.Patch(e.ctx, "a", types.MergePatchType, []byte(`{"spec":{"color":"green"}}`), metav1.PatchOptions{})
		e.must(err)
		if field(u, "spec", "color") != "green" || field(u, "spec", "size") != int64(3) {
			e.Errorf("%v", u.Object)
		}
		_, err = g.in.Patch(e.ctx, "a", types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/size","value":11}]`), metav1.PatchOptions{})
		want := invalid("Gadget", "a", cause{metav1.CauseTypeFieldValueInvalid, "spec.size"})
		want.group = g.resource.Group
		e.refused(err, want)
	}},
	{"apply merges lists by the keys of the schema", func(e *env) {
		g := e.gadgets()
		_, err := g.in.Apply(e.ctx, "a", g.object(e, "a", `{"size":3,"parts":[{"name":"x","count":1},{"name":"y","count":1}]}`), metav1.ApplyOptions{FieldManager: "one"})
		e.must(err)
		_, err = g.in.Apply(e.ctx, "a", g.object(e, "a", `{"size":3,"parts":[{"name":"z","count":1}]}`), metav1.ApplyOptions{FieldManager: "two"})
		e.must(err)
		u, err := g.in.Apply(e.ctx, "a", g.object(e, "a", `{"size":3,"parts":[{"name":"y","count":1}]}`), metav1.ApplyOptions{FieldManager: "one"})
		e.must(err)
		parts, _ := field(u, "spec", "parts").([]any)
		if len(parts) != 2 || at(parts[0], "name") != "y" || at(parts[1], "name") != "z" {
			e.Errorf("%v", parts)
		}
		_, err = g.in.Apply(e.ctx, "a", g.object(e, "a", `{"size":4}`), metav1.ApplyOptions{FieldManager: "three"})
		e.refused(err, refusal{code: 409, reason: metav1.StatusReasonConflict, causes: []cause{{metav1.CauseTypeFieldManagerConflict, ".spec.size"}}})
	}},
	{"the scale is at the paths of the definition", func(e *env) {
		g := e.gadgets()
		g.create(e, "a", `{"size":3,"replicas":2}`)
		s, err := g.in.Get(e.ctx, "a", metav1.GetOptions{}, "scale")
		e.must(err)
		if s.GetKind() != "Scale" || s.GetAPIVersion() != "autoscaling/v1" || field(s, "spec", "replicas") != int64(2) {
			e.Errorf("%v", s.Object)
		}
		e.must(unstructured.SetNestedField(s.Object, int64(5), "spec", "replicas"))
		_, err = g.in.Update(e.ctx, s, metav1.UpdateOptions{}, "scale")
		e.must(err)
		u, err := g.in.Get(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		if field(u, "spec", "replicas") != int64(5) || u.GetGeneration() != 2 {
			e.Errorf("%v", u.Object)
		}
	}},
	{"finalizers hold an object", func(e *env) {
		g := e.gadgets()
		u := g.object(e, "a", `{"size":3}`)
		u.SetFinalizers([]string{"example.com/hold"})
		_, err := g.in.Create(e.ctx, u, metav1.CreateOptions{})
		e.must(err)
		e.must(g.in.Delete(e.ctx, "a", metav1.DeleteOptions{}))
		u, err = g.in.Patch(e.ctx, "a", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		e.must(err)
		if u.GetDeletionTimestamp() == nil {
			e.Errorf("%v", u.Object)
		}
		_, err = g.in.Get(e.ctx, "a", metav1.GetOptions{})
		want := notFound("gadgets", "a")
		want.group, want.message = g.resource.Group, `"a" not found`
		e.refused(err, want)
	}},
}
