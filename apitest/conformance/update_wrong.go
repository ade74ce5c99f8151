package conformance

import (
	"net/http"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var updatingWrong = []behaviour{
	{"an old version is refused with a conflict", func(e *env) {
		old := e.create(configMap("a", "k", "1"))
		fresh := old.DeepCopy()
		fresh.Data["k"] = "2"
		e.update(fresh)
		old.Data["k"] = "3"
		_, err := e.configMaps().Update(e.ctx, old, metav1.UpdateOptions{})
		e.refused(err, conflict("configmaps", "a", `Operation cannot be fulfilled on configmaps "a": `+modified))
		if got := e.read("a"); got.Data["k"] != "2" {
			e.Errorf("%v", got.Data)
		}
	}},
	{"of the status, an old version is refused too", func(e *env) {
		old := e.createDeployment(deployment("a"))
		fresh := old.DeepCopy()
		*fresh.Spec.Replicas = 3
		_, err := e.deployments().Update(e.ctx, fresh, metav1.UpdateOptions{})
		e.must(err)
		old.Status.Replicas = 1
		_, err = e.deployments().UpdateStatus(e.ctx, old, metav1.UpdateOptions{})
		want := conflict("deployments", "a", modified)
		want.group = "apps"
		e.refused(err, want)
	}},
	{"another UID is refused with a conflict", func(e *env) {
		e.create(configMap("a"))
		c := configMap("a", "k", "v")
		c.UID = "other"
		_, err := e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{})
		e.refused(err, conflict("configmaps", "a", "UID in precondition: other"))
	}},
	{"another name than that of the path is refused", func(e *env) {
		e.create(configMap("a"))
		a := e.ask("PUT", e.configMapsPath()+"/a", `{"metadata":{"name":"b"}}`)
		e.refused(a.err, badRequest("the name of the object (b) does not match the name on the URL (a)"))
		a = e.ask("PUT", e.configMapsPath()+"/a", `{"metadata":{}}`)
		e.refused(a.err, badRequest("the name of the object (a based on URL) was undeterminable: name must be provided"))
		a = e.ask("PUT", e.configMapsPath()+"/a", `{"metadata":{"name":"a","namespace":"default"}}`)
		e.refused(a.err, badRequest("the namespace of the provided object does not match the namespace sent on the request"))
	}},
	{"what is not there is not found", func(e *env) {
		_, err := e.configMaps().Update(e.ctx, configMap("none"), metav1.UpdateOptions{})
		e.refused(err, notFound("configmaps", "none"))
		c := configMap("none")
		c.ResourceVersion, c.UID = "5", "some"
		_, err = e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{})
		e.refused(err, notFound("configmaps", "none"))
		_, err = e.pods().UpdateStatus(e.ctx, pod("none"), metav1.UpdateOptions{})
		e.refused(err, notFound("pods", "none"))
	}},
	{"a version that is not a number is rejected", func(e *env) {
		c := e.create(configMap("a"))
		c.ResourceVersion = "abc"
		_, err := e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{})
		e.refused(err, refusal{code: http.StatusInternalServerError, message: `parsing "abc": invalid syntax`})
	}},
	{"a time of deletion cannot be set", func(e *env) {
		c, now := e.create(configMap("a")), metav1.Now()
		c.DeletionTimestamp = &now
		_, err := e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{})
		e.refused(err, invalid("ConfigMap", "a", cause{metav1.CauseTypeFieldValueInvalid, "metadata.deletionTimestamp"}))
	}},
	{"an immutable config map does not change", func(e *env) {
		c, yes := configMap("a", "k", "v"), true
		c.Immutable = &yes
		c = e.create(c)
		c.Data["k"] = "new"
		_, err := e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{})
		e.refused(err, invalid("ConfigMap", "a", cause{metav1.CauseTypeForbidden, "data"}))
	}},
	{"the selector of a deployment does not change", func(e *env) {
		d := e.createDeployment(deployment("a"))
		d.Spec.Selector.MatchLabels["app"], d.Spec.Template.Labels["app"] = "b", "b"
		_, err := e.deployments().Update(e.ctx, d, metav1.UpdateOptions{})
		want := invalid("Deployment", "a", cause{metav1.CauseTypeFieldValueInvalid, "spec.selector"})
		want.group, want.message = "apps", "field is immutable"
		e.refused(err, want)
	}},
	{"of a pod's spec only little may change", func(e *env) {
		p := e.createPod(pod("a"))
		p.Spec.Containers[0].Image = "registry.example/app:2"
		p, err := e.pods().Update(e.ctx, p, metav1.UpdateOptions{})
		e.must(err)
		p.Spec.NodeName = "node-1"
		_, err = e.pods().Update(e.ctx, p, metav1.UpdateOptions{})
		want := invalid("Pod", "a", cause{metav1.CauseTypeForbidden, "spec"})
		want.message = "pod updates may not change fields other than"
		e.refused(err, want)
	}},
	{"a lease has to name the version that it replaces", func(e *env) {
		leases, holder := e.kube.CoordinationV1().Leases(e.namespace()), "me"
		l, err := leases.Create(e.ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "l"}}, metav1.CreateOptions{})
		e.must(err)
		l.ResourceVersion, l.Spec.HolderIdentity = "", &holder
		_, err = leases.Update(e.ctx, l, metav1.UpdateOptions{})
		want := invalid("leases", "l", cause{metav1.CauseTypeFieldValueInvalid, "metadata.resourceVersion"})
		want.group, want.message = "coordination.k8s.io", "must be specified for an update"
		e.refused(err, want)
	}},
	{"an unknown option is refused", func(e *env) {
		e.create(configMap("a"))
		a := e.ask("PUT", e.configMapsPath()+"/a?dryRun=Some", `{"metadata":{"name":"a"}}`)
		e.refused(a.err, invalidOption("UpdateOptions", cause{metav1.CauseTypeFieldValueNotSupported, "dryRun"}))
	}},
}
