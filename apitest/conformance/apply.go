package conformance

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/gentype"
)

// tryApply applies a config map in the name of a manager.
func (e *env) tryApply(manager string, force bool, c *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	e.Helper()
	cfg, err := gentype.Apply(c, corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	e.must(err)
	return e.configMaps().Apply(e.ctx, cfg, metav1.ApplyOptions{FieldManager: manager, Force: force})
}

func (e *env) apply(manager string, c *corev1.ConfigMap) *corev1.ConfigMap {
	e.Helper()
	c, err := e.tryApply(manager, false, c)
	e.must(err)
	return c
}

// applyText sends an apply patch to config map a as it is.
func (e *env) applyText(query, body string) answer {
	e.Helper()
	return e.ask("PATCH", e.configMapsPath()+"/a?"+query, body, "Content-Type", string(types.ApplyPatchType))
}

func (e *env) applyDeployment(manager string, d *appsv1.Deployment) *appsv1.Deployment {
	e.Helper()
	cfg, err := gentype.Apply(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))
	e.must(err)
	d, err = e.deployments().Apply(e.ctx, cfg, metav1.ApplyOptions{FieldManager: manager})
	e.must(err)
	return d
}

var applying = []behaviour{
	{"what is not there is created, with 201", func(e *env) {
		a := e.applyText("fieldManager=one", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}`)
		e.must(a.err)
		if c := e.read("a"); a.code != 201 || c.UID == "" {
			e.Errorf("%d, %+v", a.code, c.ObjectMeta)
		}
		e.managers(e.read("a").ManagedFields, map[string]string{"one Apply": `{"f:data":{"f:k":{}}}`})
	}},
	{"the same again keeps the version, with 200", func(e *env) {
		c := e.apply("one", configMap("a", "k", "v"))
		a := e.applyText("fieldManager=one", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}}`)
		e.must(a.err)
		if again := e.read("a"); a.code != 200 || again.ResourceVersion != c.ResourceVersion {
			e.Errorf("%d, version %s after %s", a.code, again.ResourceVersion, c.ResourceVersion)
		}
	}},
	{"fields that are applied no more are removed", func(e *env) {
		e.apply("one", configMap("a", "k", "1", "l", "2"))
		e.data(e.apply("one", configMap("a", "k", "1")), map[string]string{"k": "1"})
	}},
	{"fields of others stay", func(e *env) {
		e.apply("one", configMap("a", "k", "1"))
		e.apply("two", configMap("a", "l", "2"))
		c := e.apply("one", configMap("a", "m", "3"))
		e.data(c, map[string]string{"l": "2", "m": "3"})
		e.managers(c.ManagedFields, map[string]string{"one Apply": `{"f:data":{"f:m":{}}}`, "two Apply": `{"f:data":{"f:l":{}}}`})
	}},
	{"two may own one field with the same value", func(e *env) {
		e.apply("one", configMap("a", "k", "1"))
		c := e.apply("two", configMap("a", "k", "1"))
		e.managers(c.ManagedFields, map[string]string{"one Apply": `{"f:data":{"f:k":{}}}`, "two Apply": `{"f:data":{"f:k":{}}}`})
		e.data(e.apply("one", configMap("a")), map[string]string{"k": "1"})
		e.data(e.apply("two", configMap("a")), nil)
	}},
	{"force takes a field over", func(e *env) {
		e.apply("one", configMap("a", "k", "1", "l", "1"))
		c, err := e.tryApply("two", true, configMap("a", "k", "2"))
		e.must(err)
		e.data(c, map[string]string{"k": "2", "l": "1"})
		e.managers(c.ManagedFields, map[string]string{"one Apply": `{"f:data":{"f:l":{}}}`, "two Apply": `{"f:data":{"f:k":{}}}`})
	}},
	{"elements of a list are owned one by one", func(e *env) {
		d := deployment("a")
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, corev1.Container{Name: "side", Image: "y:1"})
		e.applyDeployment("one", d)
		other := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		other.Spec.Template.Spec.Containers = []corev1.Container{{Name: "third", Image: "z:1"}}
		e.applyDeployment("two", other)
		d.Spec.Template.Spec.Containers = d.Spec.Template.Spec.Containers[:1]
		e.equal("containers", containers(e.applyDeployment("one", d)), []string{"main registry.example/app:1", "third z:1"})
	}},
	{"an update takes fields from their appliers", func(e *env) {
		c := e.apply("one", configMap("a", "k", "1", "l", "1"))
		c.Data["k"] = "2"
		c, err := e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{FieldManager: "two"})
		e.must(err)
		e.managers(c.ManagedFields, map[string]string{"one Apply": `{"f:data":{"f:l":{}}}`, "two Update": `{"f:data":{"f:k":{}}}`})
	}},
	{"the status has managers of its own", func(e *env) {
		e.applyDeployment("one", deployment("a"))
		path := "/apis/apps/v1/namespaces/" + e.ns + "/deployments/a/status?fieldManager=one"
		e.must(e.ask("PATCH", path, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"status":{"replicas":7}}`,
			"Content-Type", string(types.ApplyPatchType)).err)
		d, err := e.deployments().Get(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		if d.Status.Replicas != 7 || len(d.ManagedFields) != 2 || *d.Spec.Replicas != 2 {
			e.Errorf("%+v, %+v", d.Status, d.ManagedFields)
		}
	}},
	{"a dry run answers and stores nothing", func(e *env) {
		e.must(e.applyText("fieldManager=one&dryRun=All", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`).err)
		e.gone("a")
	}},
	{"the body may be YAML", func(e *env) {
		e.must(e.applyText("fieldManager=one", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n").err)
		e.data(e.read("a"), map[string]string{"k": "v"})
	}},
	{"managed fields can be cleared by a single empty entry", func(e *env) {
		c := e.apply("one", configMap("a", "k", "1"))
		c.ManagedFields = []metav1.ManagedFieldsEntry{{}}
		if c = e.update(c); len(c.ManagedFields) != 0 {
			e.Errorf("%+v", c.ManagedFields)
		}
	}},
}
