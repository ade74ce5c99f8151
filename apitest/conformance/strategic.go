package conformance

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// merge patches the containers of deployment a, and returns them as "name image".
func (e *env) merge(podSpec string) []string {
	e.Helper()
	return containers(e.patchDeployment(types.StrategicMergePatchType, `{"spec":{"template":{"spec":`+podSpec+`}}}`))
}

func containers(d *appsv1.Deployment) (words []string) {
	for _, c := range d.Spec.Template.Spec.Containers {
		words = append(words, c.Name+" "+c.Image)
	}
	return words
}

// twoContainers creates deployment a with containers one and two.
func (e *env) twoContainers() {
	e.Helper()
	d := deployment("a")
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "one", Image: "x:1"}, {Name: "two", Image: "y:1"}}
	e.createDeployment(d)
}

var strategic = []behaviour{
	{"elements of a list are merged by their key", func(e *env) {
		e.twoContainers()
		e.equal("containers", e.merge(`{"containers":[{"name":"two","image":"y:2"}]}`), []string{"one x:1", "two y:2"})
	}},
	{"a new element comes first", func(e *env) {
		e.twoContainers()
		e.equal("containers", e.merge(`{"containers":[{"name":"new","image":"z:1"}]}`), []string{"new z:1", "one x:1", "two y:1"})
	}},
	{"the delete directive removes an element", func(e *env) {
		e.twoContainers()
		e.equal("containers", e.merge(`{"containers":[{"name":"one","$patch":"delete"}]}`), []string{"two y:1"})
	}},
	{"the replace directive replaces a list", func(e *env) {
		e.twoContainers()
		e.equal("containers", e.merge(`{"containers":[{"$patch":"replace"},{"name":"new","image":"z:1"}]}`), []string{"new z:1"})
	}},
	{"the order of elements can be set", func(e *env) {
		e.twoContainers()
		e.equal("containers", e.merge(`{"$setElementOrder/containers":[{"name":"two"},{"name":"one"}],"containers":[{"name":"two","image":"y:2"}]}`),
			[]string{"two y:2", "one x:1"})
	}},
	{"the replace directive replaces a map", func(e *env) {
		e.create(configMap("a", "k", "1", "l", "2"))
		e.data(e.patch(types.StrategicMergePatchType, "a", `{"data":{"$patch":"replace","m":"3"}}`), map[string]string{"m": "3"})
	}},
	{"null removes a key and a whole map", func(e *env) {
		e.create(configMap("a", "k", "1", "l", "2"))
		e.data(e.patch(types.StrategicMergePatchType, "a", `{"data":{"k":null}}`), map[string]string{"l": "2"})
		e.data(e.patch(types.StrategicMergePatchType, "a", `{"data":null}`), nil)
	}},
	{"a list of words is a set", func(e *env) {
		c := configMap("a")
		c.Finalizers = []string{"example.com/a"}
		e.create(c)
		c = e.patch(types.StrategicMergePatchType, "a", `{"metadata":{"finalizers":["example.com/b","example.com/a"]}}`)
		if len(c.Finalizers) != 2 {
			e.Errorf("%v", c.Finalizers)
		}
		c = e.patch(types.StrategicMergePatchType, "a", `{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/a"]}}`)
		e.equal("finalizers", c.Finalizers, []string{"example.com/b"})
	}},
	{"nested lists have keys of their own", func(e *env) {
		d := deployment("a")
		d.Spec.Template.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80}, {ContainerPort: 81}}
		d.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "1"}}
		e.createDeployment(d)
		e.merge(`{"containers":[{"name":"main","ports":[{"containerPort":81,"name":"web"}],"env":[{"name":"B","value":"2"}]}]}`)
		d, err := e.deployments().Get(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		c := d.Spec.Template.Spec.Containers[0]
		if len(c.Ports) != 2 || c.Ports[1].Name != "web" || len(c.Env) != 2 || c.Image != "registry.example/app:1" {
			e.Errorf("%+v", c)
		}
	}},
	{"a list without a key is replaced", func(e *env) {
		d := deployment("a")
		d.Spec.Template.Spec.Containers[0].Args = []string{"a", "b"}
		e.createDeployment(d)
		e.merge(`{"containers":[{"name":"main","args":["c"]}]}`)
		d, err := e.deployments().Get(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		e.equal("args", d.Spec.Template.Spec.Containers[0].Args, []string{"c"})
	}},
	{"retainKeys clears the fields that are not named", func(e *env) {
		e.createDeployment(deployment("a"))
		d := e.patchDeployment(types.StrategicMergePatchType, `{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}`)
		if d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType || d.Spec.Strategy.RollingUpdate != nil {
			e.Errorf("%+v", d.Spec.Strategy)
		}
	}},
}
