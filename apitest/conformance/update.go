package conformance

import (
	"maps"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var updating = []behaviour{
	{"a change has a newer version, and the same UID and creation time", func(e *env) {
		old := e.create(configMap("a", "k", "old"))
		c := old.DeepCopy()
		c.Data["k"] = "new"
		c = e.update(c)
		if e.version(c.ResourceVersion) <= e.version(old.ResourceVersion) || c.UID != old.UID || !c.CreationTimestamp.Equal(&old.CreationTimestamp) {
			e.Errorf("%+v after %+v", c.ObjectMeta, old.ObjectMeta)
		}
		if got := e.read("a"); got.Data["k"] != "new" || got.ResourceVersion != c.ResourceVersion {
			e.Errorf("%+v", got)
		}
	}},
	{"a change of nothing keeps the version", func(e *env) {
		c := e.create(configMap("a", "k", "v"))
		if same := e.update(c.DeepCopy()); same.ResourceVersion != c.ResourceVersion {
			e.Errorf("version %s after %s", same.ResourceVersion, c.ResourceVersion)
		}
	}},
	{"without a version it replaces whatever is there", func(e *env) {
		e.create(configMap("a", "k", "old", "only", "old"))
		c := e.update(configMap("a", "k", "new"))
		if !maps.Equal(c.Data, map[string]string{"k": "new"}) {
			e.Errorf("%v", c.Data)
		}
	}},
	{"the creation time of the body is ignored", func(e *env) {
		old := e.create(configMap("a"))
		c := old.DeepCopy()
		c.CreationTimestamp = metav1.NewTime(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
		if c = e.update(c); !c.CreationTimestamp.Equal(&old.CreationTimestamp) || c.ResourceVersion != old.ResourceVersion {
			e.Errorf("%+v", c.ObjectMeta)
		}
	}},
	{"the generation counts changes of the spec alone", func(e *env) {
		d := e.createDeployment(deployment("a"))
		d.Labels = map[string]string{"l": "1"}
		d, err := e.deployments().Update(e.ctx, d, metav1.UpdateOptions{})
		e.must(err)
		if d.Generation != 1 {
			e.Errorf("generation %d after a change of labels", d.Generation)
		}
		*d.Spec.Replicas = 5
		d, err = e.deployments().Update(e.ctx, d, metav1.UpdateOptions{})
		e.must(err)
		if d.Generation != 2 {
			e.Errorf("generation %d after a change of the spec", d.Generation)
		}
		d.Status.ObservedGeneration = 2
		d, err = e.deployments().UpdateStatus(e.ctx, d, metav1.UpdateOptions{})
		e.must(err)
		if d.Generation != 2 {
			e.Errorf("generation %d after a change of the status", d.Generation)
		}
	}},
	{"a status in it changes nothing", func(e *env) {
		d := e.createDeployment(deployment("a"))
		version := d.ResourceVersion
		d.Status.Replicas = 7
		d, err := e.deployments().Update(e.ctx, d, metav1.UpdateOptions{})
		e.must(err)
		if d.Status.Replicas != 0 || d.ResourceVersion != version {
			e.Errorf("%+v, version %s after %s", d.Status, d.ResourceVersion, version)
		}
	}},
	{"of the status changes nothing else", func(e *env) {
		d := e.createDeployment(deployment("a"))
		version := d.ResourceVersion
		*d.Spec.Replicas, d.Status.Replicas, d.Labels = 9, 7, map[string]string{"l": "1"}
		d, err := e.deployments().UpdateStatus(e.ctx, d, metav1.UpdateOptions{})
		e.must(err)
		if d.Status.Replicas != 7 || *d.Spec.Replicas != 2 || d.Labels["l"] != "" || e.version(d.ResourceVersion) <= e.version(version) {
			e.Errorf("%+v", d)
		}
	}},
	{"a dry run answers and stores nothing", func(e *env) {
		c := e.create(configMap("a", "k", "old"))
		c.Data["k"] = "new"
		c, err := e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		e.must(err)
		if got := e.read("a"); c.Data["k"] != "new" || got.Data["k"] != "old" {
			e.Errorf("%v, then %v", c.Data, got.Data)
		}
	}},
	{"the last writer of a field is its manager", func(e *env) {
		c, err := e.configMaps().Create(e.ctx, configMap("a", "k", "1", "l", "1"), metav1.CreateOptions{FieldManager: "one"})
		e.must(err)
		c.Data["k"] = "2"
		c, err = e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{FieldManager: "two"})
		e.must(err)
		e.managers(c.ManagedFields, map[string]string{
			"one Update": `{"f:data":{".":{},"f:l":{}}}`, "two Update": `{"f:data":{"f:k":{}}}`,
		})
	}},
	{"a lease that is not there is created", func(e *env) {
		leases, holder := e.kube.CoordinationV1().Leases(e.namespace()), "me"
		l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "l"}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder}}
		l, err := leases.Update(e.ctx, l, metav1.UpdateOptions{})
		e.must(err)
		if l.UID == "" || *l.Spec.HolderIdentity != "me" {
			e.Errorf("%+v", l)
		}
	}},
}

// managers compares who manages which fields: "manager operation" and its set of fields.
func (e *env) managers(got []metav1.ManagedFieldsEntry, want map[string]string) {
	e.Helper()
	have := map[string]string{}
	for _, m := range got {
		have[m.Manager+" "+string(m.Operation)] = m.FieldsV1.GetRawString()
	}
	if !maps.Equal(have, want) {
		e.Errorf("managed fields %v, want %v", have, want)
	}
}
