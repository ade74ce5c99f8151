package conformance

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var reading = []behaviour{
	{"what was written is what is read", func(e *env) {
		c := configMap("a", "k", "v")
		c.BinaryData = map[string][]byte{"b": {0, 1, 255}}
		c = e.create(c)
		got := e.read("a")
		if got.UID != c.UID || got.ResourceVersion != c.ResourceVersion || got.Data["k"] != "v" || !slices.Equal(got.BinaryData["b"], []byte{0, 1, 255}) {
			e.Errorf("%+v, want %+v", got, c)
		}
	}},
	{"a missing object is not found", func(e *env) {
		e.gone("none")
		_, err := e.deployments().Get(e.ctx, "none", metav1.GetOptions{})
		want := notFound("deployments", "none")
		want.group, want.message = "apps", `deployments.apps "none" not found`
		e.refused(err, want)
	}},
	{"an empty list has no items, rather than none given", func(e *env) {
		got := e.get(e.configMapsPath())
		items, ok := got["items"].([]any)
		if !ok || len(items) != 0 || got["kind"] != "ConfigMapList" || got["apiVersion"] != "v1" || at(got, "metadata", "resourceVersion") == nil {
			e.Errorf("%v", got)
		}
	}},
	{"a list in a namespace that is not there is empty", func(e *env) {
		l, err := e.kube.CoreV1().ConfigMaps("conformance-none").List(e.ctx, metav1.ListOptions{})
		e.must(err)
		if len(l.Items) != 0 || e.version(l.ResourceVersion) == 0 {
			e.Errorf("%+v", l)
		}
	}},
	{"items of a list do not repeat their kind", func(e *env) {
		e.create(configMap("a"))
		for _, item := range e.get(e.configMapsPath())["items"].([]any) {
			if at(item, "kind") != nil || at(item, "apiVersion") != nil {
				e.Errorf("%v", item)
			}
		}
	}},
	{"a list is in the order of names", func(e *env) {
		for _, name := range []string{"c", "a", "b.x", "b", "b-x", "0"} {
			e.create(configMap(name))
		}
		e.equal("names", namesOf(e.list(metav1.ListOptions{})), []string{"0", "a", "b", "b-x", "b.x", "c"})
	}},
	{"a list of all namespaces has those of each", func(e *env) {
		other := e.newNamespace()
		c := configMap("a")
		c.Labels = map[string]string{"conformance": e.namespace()}
		e.create(c.DeepCopy())
		_, err := e.kube.CoreV1().ConfigMaps(other).Create(e.ctx, c.DeepCopy(), metav1.CreateOptions{})
		e.must(err)
		l, err := e.kube.CoreV1().ConfigMaps("").List(e.ctx, metav1.ListOptions{LabelSelector: "conformance=" + e.ns})
		e.must(err)
		var in []string
		for _, item := range l.Items {
			in = append(in, item.Namespace)
		}
		want := []string{e.ns, other}
		slices.Sort(want) // by namespace, then by name
		e.equal("namespaces", in, want)
	}},
	{"a list is not older than its items", func(e *env) {
		e.create(configMap("a"))
		e.create(configMap("b"))
		l := e.list(metav1.ListOptions{})
		for _, item := range l.Items {
			if e.version(item.ResourceVersion) > e.version(l.ResourceVersion) {
				e.Errorf("the list is of %s, its item of %s", l.ResourceVersion, item.ResourceVersion)
			}
		}
	}},
	{"versions are one line over all kinds", func(e *env) {
		versions := []uint64{
			e.version(e.create(configMap("a")).ResourceVersion),
			e.version(e.createPod(pod("a")).ResourceVersion),
			e.version(e.createDeployment(deployment("a")).ResourceVersion),
			e.version(e.create(configMap("b")).ResourceVersion),
		}
		l, err := e.kube.CoreV1().Secrets(e.ns).List(e.ctx, metav1.ListOptions{})
		e.must(err)
		for i := range len(versions) - 1 {
			if versions[i] >= versions[i+1] {
				e.Errorf("%v", versions)
			}
		}
		if e.version(l.ResourceVersion) < versions[3] {
			e.Errorf("a list of %s after %v", l.ResourceVersion, versions)
		}
	}},
	{"Items gives the list one by one, in both encodings", func(e *env) {
		for _, name := range []string{"a", "b", "c"} {
			e.create(configMap(name, "k", name))
		}
		for _, contentType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
			items, err := coreClient(e, e.target.Config, contentType).Get().Namespace(e.ns).Resource("configmaps").Items(e.ctx)
			e.must(err)
			var names []string
			for item, err := range items.All() {
				e.must(err)
				var c corev1.ConfigMap
				e.must(item.Into(&c))
				if c.Data["k"] != c.Name {
					e.Errorf("%+v", c)
				}
				names = append(names, c.Name)
			}
			e.equal(contentType, names, []string{"a", "b", "c"})
			if meta, err := items.ListMeta(); err != nil || meta.ResourceVersion == "" {
				e.Errorf("%+v, %v", meta, err)
			}
			e.must(items.Close())
		}
	}},
}
