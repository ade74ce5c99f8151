package conformance

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var creating = []behaviour{
	{"the server sets UID, creation time and version", func(e *env) {
		a, b := e.create(configMap("a")), e.create(configMap("b"))
		if a.UID == "" || a.UID == b.UID {
			e.Errorf("UIDs %q and %q", a.UID, b.UID)
		}
		if age := time.Since(a.CreationTimestamp.Time); age.Abs() > time.Minute {
			e.Errorf("created at %v", a.CreationTimestamp)
		}
		if a.Namespace != e.ns || e.version(a.ResourceVersion) >= e.version(b.ResourceVersion) {
			e.Errorf("namespace %q, version %s, then %s", a.Namespace, a.ResourceVersion, b.ResourceVersion)
		}
	}},
	{"generateName is completed by a random suffix", func(e *env) {
		c := configMap("")
		c.GenerateName = "web-"
		a, b := e.create(c.DeepCopy()), e.create(c.DeepCopy())
		if !strings.HasPrefix(a.Name, "web-") || len(a.Name) != len("web-")+5 || a.GenerateName != "web-" || a.Name == b.Name {
			e.Errorf("%q and %q", a.Name, b.Name)
		}
	}},
	{"a long generateName is cut so that the name stays valid", func(e *env) {
		c := configMap("")
		c.GenerateName = strings.Repeat("x", 100)
		if c = e.create(c); len(c.Name) != 63 {
			e.Errorf("%q has %d characters", c.Name, len(c.Name))
		}
	}},
	{"a name wins over generateName", func(e *env) {
		c := configMap("exact")
		c.GenerateName = "web-"
		if c = e.create(c); c.Name != "exact" || c.GenerateName != "web-" {
			e.Errorf("%q, %q", c.Name, c.GenerateName)
		}
	}},
	{"UID, creation and deletion time of the body are ignored", func(e *env) {
		c, long := configMap("a"), metav1.NewTime(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
		c.UID, c.CreationTimestamp, c.DeletionTimestamp = "mine", long, &long
		c = e.create(c)
		if c.UID == "mine" || c.CreationTimestamp.Equal(&long) || c.DeletionTimestamp != nil {
			e.Errorf("%+v", c.ObjectMeta)
		}
	}},
	{"the writer is recorded in the managed fields", func(e *env) {
		c, err := e.configMaps().Create(e.ctx, configMap("a", "k", "v"), metav1.CreateOptions{FieldManager: "someone"})
		e.must(err)
		if len(c.ManagedFields) != 1 {
			e.Fatalf("%+v", c.ManagedFields)
		}
		m := c.ManagedFields[0]
		if m.Manager != "someone" || m.Operation != metav1.ManagedFieldsOperationUpdate || m.APIVersion != "v1" || m.FieldsType != "FieldsV1" || m.Time == nil {
			e.Errorf("%+v", m)
		}
		if got, want := m.FieldsV1.GetRawString(), `{"f:data":{".":{},"f:k":{}}}`; got != want {
			e.Errorf("%s, want %s", got, want)
		}
	}},
	{"what a kind leaves open has defaults", func(e *env) {
		p := e.createPod(pod("a"))
		if p.Spec.RestartPolicy != corev1.RestartPolicyAlways || *p.Spec.TerminationGracePeriodSeconds != 30 ||
			p.Spec.Containers[0].ImagePullPolicy != corev1.PullIfNotPresent || p.Spec.DNSPolicy != corev1.DNSClusterFirst || p.Status.Phase != corev1.PodPending {
			e.Errorf("%+v, %+v", p.Spec, p.Status)
		}
	}},
	{"the status of the body is dropped", func(e *env) {
		d := deployment("a")
		d.Status.Replicas = 7
		p := pod("p")
		p.Status.Phase = corev1.PodRunning
		if d, p := e.createDeployment(d), e.createPod(p); d.Status.Replicas != 0 || p.Status.Phase != corev1.PodPending {
			e.Errorf("%+v, %+v", d.Status, p.Status)
		}
	}},
	{"the generation of a kind with a spec begins at 1", func(e *env) {
		d := deployment("a")
		d.Generation = 7
		if d = e.createDeployment(d); d.Generation != 1 {
			e.Errorf("generation %d", d.Generation)
		}
	}},
	{"stringData of a secret becomes data", func(e *env) {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, StringData: map[string]string{"k": "v"}}
		s, err := e.kube.CoreV1().Secrets(e.namespace()).Create(e.ctx, s, metav1.CreateOptions{})
		e.must(err)
		if string(s.Data["k"]) != "v" || len(s.StringData) != 0 || s.Type != corev1.SecretTypeOpaque {
			e.Errorf("%+v", s)
		}
	}},
	{"unknown fields are dropped, with a warning", func(e *env) {
		r := e.json.Post().AbsPath(e.configMapsPath()).Body([]byte(`{"metadata":{"name":"a"},"dat":{"k":"v"}}`)).Do(e.ctx)
		e.must(r.Error())
		if w := r.Warnings(); len(w) != 1 || w[0].Text != `unknown field "dat"` {
			e.Errorf("warnings %+v", w)
		}
		if got := e.get(e.configMapsPath() + "/a"); got["dat"] != nil {
			e.Errorf("%v", got)
		}
	}},
	{"unknown fields are dropped in silence if validation is to ignore them", func(e *env) {
		r := e.json.Post().AbsPath(e.configMapsPath()).Param("fieldValidation", "Ignore").Body([]byte(`{"metadata":{"name":"a"},"dat":1}`)).Do(e.ctx)
		e.must(r.Error())
		if w := r.Warnings(); len(w) != 0 {
			e.Errorf("warnings %+v", w)
		}
	}},
	{"a dry run answers and stores nothing", func(e *env) {
		c, err := e.configMaps().Create(e.ctx, configMap("a"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		e.must(err)
		if c.UID == "" || c.CreationTimestamp.IsZero() || c.ResourceVersion != "" {
			e.Errorf("%+v", c.ObjectMeta)
		}
		e.gone("a")
	}},
	{"the answer is 201", func(e *env) {
		if a := e.ask("POST", e.configMapsPath(), `{"metadata":{"name":"a"}}`); a.code != 201 {
			e.Errorf("%d, %v", a.code, a.err)
		}
	}},
	{"labels, annotations and owners are kept", func(e *env) {
		owner := e.create(configMap("owner"))
		c := configMap("a")
		c.Labels, c.Annotations = map[string]string{"l": "1"}, map[string]string{"example.com/a": "2"}
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner.UID}}
		e.create(c)
		got := e.read("a")
		if got.Labels["l"] != "1" || got.Annotations["example.com/a"] != "2" || !slices.Equal(got.OwnerReferences, c.OwnerReferences) {
			e.Errorf("%+v", got.ObjectMeta)
		}
	}},
}
