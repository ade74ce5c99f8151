package conformance

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// patch has to succeed on a config map.
func (e *env) patch(kind types.PatchType, name, patch string) *corev1.ConfigMap {
	e.Helper()
	c, err := e.configMaps().Patch(e.ctx, name, kind, []byte(patch), metav1.PatchOptions{})
	e.must(err)
	return c
}

func (e *env) patchDeployment(kind types.PatchType, patch string, subresources ...string) *appsv1.Deployment {
	e.Helper()
	d, err := e.deployments().Patch(e.ctx, "a", kind, []byte(patch), metav1.PatchOptions{}, subresources...)
	e.must(err)
	return d
}

func (e *env) data(c *corev1.ConfigMap, want map[string]string) {
	e.Helper()
	if !maps.Equal(c.Data, want) {
		e.Errorf("data %v, want %v", c.Data, want)
	}
}

var patching = []behaviour{
	{"a JSON patch adds, replaces, removes, moves and copies", func(e *env) {
		e.create(configMap("a", "k", "1", "l", "2"))
		e.data(e.patch(types.JSONPatchType, "a", `[
			{"op":"test","path":"/data/k","value":"1"},
			{"op":"replace","path":"/data/k","value":"new"},
			{"op":"add","path":"/data/m","value":"3"},
			{"op":"copy","from":"/data/m","path":"/data/n"},
			{"op":"move","from":"/data/n","path":"/data/o"},
			{"op":"remove","path":"/data/l"}]`), map[string]string{"k": "new", "m": "3", "o": "3"})
	}},
	{"a JSON patch reaches keys with slashes and tildes", func(e *env) {
		c := e.create(configMap("a"))
		c = e.patch(types.JSONPatchType, c.Name, `[{"op":"add","path":"/metadata/annotations","value":{"example.com/x":"1"}},
			{"op":"replace","path":"/metadata/annotations/example.com~1x","value":"2"}]`)
		if c.Annotations["example.com/x"] != "2" {
			e.Errorf("%v", c.Annotations)
		}
	}},
	{"a merge patch sets, and removes what is null", func(e *env) {
		e.create(configMap("a", "k", "1", "l", "2"))
		e.data(e.patch(types.MergePatchType, "a", `{"data":{"k":null,"m":"3","none":null}}`), map[string]string{"l": "2", "m": "3"})
	}},
	{"a merge patch replaces a list as a whole", func(e *env) {
		e.createDeployment(deployment("a"))
		d := e.patchDeployment(types.MergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"other","image":"x"}]}}}}`)
		if c := d.Spec.Template.Spec.Containers; len(c) != 1 || c[0].Name != "other" {
			e.Errorf("%+v", c)
		}
	}},
	{"an empty patch keeps the version", func(e *env) {
		c := e.create(configMap("a", "k", "v"))
		for kind, patch := range map[types.PatchType]string{
			types.MergePatchType: `{}`, types.StrategicMergePatchType: `{"data":{"k":"v"}}`, types.JSONPatchType: `[]`,
		} {
			if got := e.patch(kind, "a", patch); got.ResourceVersion != c.ResourceVersion {
				e.Errorf("%s: version %s after %s", kind, got.ResourceVersion, c.ResourceVersion)
			}
		}
	}},
	{"a version in the patch is a condition", func(e *env) {
		old := e.create(configMap("a", "k", "1"))
		c := e.patch(types.MergePatchType, "a", `{"metadata":{"resourceVersion":"`+old.ResourceVersion+`"},"data":{"k":"2"}}`)
		e.data(c, map[string]string{"k": "2"})
		for _, kind := range []types.PatchType{types.MergePatchType, types.StrategicMergePatchType} {
			_, err := e.configMaps().Patch(e.ctx, "a", kind, []byte(`{"metadata":{"resourceVersion":"`+old.ResourceVersion+`"},"data":{"k":"3"}}`), metav1.PatchOptions{})
			e.refused(err, conflict("configmaps", "a", modified))
		}
		_, err := e.configMaps().Patch(e.ctx, "a", types.JSONPatchType, []byte(`[{"op":"replace","path":"/metadata/resourceVersion","value":"`+old.ResourceVersion+`"},
			{"op":"replace","path":"/data/k","value":"3"}]`), metav1.PatchOptions{})
		e.refused(err, conflict("configmaps", "a", modified))
	}},
	{"of the status changes nothing else", func(e *env) {
		e.createDeployment(deployment("a"))
		d := e.patchDeployment(types.MergePatchType, `{"status":{"replicas":7},"spec":{"replicas":9}}`, "status")
		if d.Status.Replicas != 7 || *d.Spec.Replicas != 2 || d.Generation != 1 {
			e.Errorf("%+v", d)
		}
	}},
	{"of the object does not change its status", func(e *env) {
		e.createDeployment(deployment("a"))
		d := e.patchDeployment(types.MergePatchType, `{"status":{"replicas":7},"spec":{"replicas":9}}`)
		if d.Status.Replicas != 0 || *d.Spec.Replicas != 9 || d.Generation != 2 {
			e.Errorf("%+v", d)
		}
	}},
	{"a dry run answers and stores nothing", func(e *env) {
		e.create(configMap("a", "k", "old"))
		c, err := e.configMaps().Patch(e.ctx, "a", types.MergePatchType, []byte(`{"data":{"k":"new"}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		e.must(err)
		e.data(c, map[string]string{"k": "new"})
		e.data(e.read("a"), map[string]string{"k": "old"})
	}},
	{"unknown fields are dropped, with a warning", func(e *env) {
		e.create(configMap("a"))
		r := e.json.Patch(types.MergePatchType).AbsPath(e.configMapsPath() + "/a").Body([]byte(`{"dat":1,"data":{"k":"v"}}`)).Do(e.ctx)
		e.must(r.Error())
		if w := r.Warnings(); len(w) != 1 || w[0].Text != `unknown field "dat"` {
			e.Errorf("warnings %+v", w)
		}
		e.data(e.read("a"), map[string]string{"k": "v"})
	}},
	{"the patcher is recorded in the managed fields", func(e *env) {
		c, err := e.configMaps().Create(e.ctx, configMap("a", "k", "1"), metav1.CreateOptions{FieldManager: "one"})
		e.must(err)
		c, err = e.configMaps().Patch(e.ctx, c.Name, types.MergePatchType, []byte(`{"data":{"l":"2"}}`), metav1.PatchOptions{FieldManager: "two"})
		e.must(err)
		e.managers(c.ManagedFields, map[string]string{
			"one Update": `{"f:data":{".":{},"f:k":{}}}`, "two Update": `{"f:data":{"f:l":{}}}`,
		})
	}},
}
