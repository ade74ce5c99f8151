package conformance

import (
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// held creates a config map with a finalizer.
func (e *env) held(name string) *corev1.ConfigMap {
	e.Helper()
	c := configMap(name)
	c.Finalizers = []string{"example.com/hold"}
	return e.create(c)
}

// scheduled creates a pod that a kubelet would have to terminate.
func (e *env) scheduled(name string) *corev1.Pod {
	e.Helper()
	p := pod(name)
	p.Spec.NodeName = "node-1"
	return e.createPod(p)
}

func grace(seconds int64) metav1.DeleteOptions { return *metav1.NewDeleteOptions(seconds) }

var finalizing = []behaviour{
	{"a finalizer keeps the object, with a time of deletion", func(e *env) {
		old := e.held("a")
		e.delete("a")
		c := e.read("a")
		if c.DeletionTimestamp == nil || c.DeletionGracePeriodSeconds == nil || *c.DeletionGracePeriodSeconds != 0 || e.version(c.ResourceVersion) <= e.version(old.ResourceVersion) {
			e.Errorf("%+v", c.ObjectMeta)
		}
	}},
	{"the object goes with its last finalizer", func(e *env) {
		e.held("a")
		e.delete("a")
		e.patch(types.JSONPatchType, "a", `[{"op":"remove","path":"/metadata/finalizers"}]`)
		e.gone("a")
	}},
	{"deleting again what is being deleted changes nothing", func(e *env) {
		e.held("a")
		e.delete("a")
		c := e.read("a")
		e.delete("a")
		if again := e.read("a"); again.ResourceVersion != c.ResourceVersion || !again.DeletionTimestamp.Equal(c.DeletionTimestamp) {
			e.Errorf("%+v after %+v", again.ObjectMeta, c.ObjectMeta)
		}
	}},
	{"what is being deleted can be changed, but gets no new finalizers", func(e *env) {
		e.held("a")
		e.delete("a")
		c := e.patch(types.MergePatchType, "a", `{"data":{"k":"v"}}`)
		c.Finalizers = append(c.Finalizers, "example.com/more")
		_, err := e.configMaps().Update(e.ctx, c, metav1.UpdateOptions{})
		want := invalid("ConfigMap", "a", cause{metav1.CauseTypeForbidden, "metadata.finalizers"})
		want.message = "no new finalizers can be added if the object is being deleted"
		e.refused(err, want)
	}},
	{"the time of deletion cannot be taken back", func(e *env) {
		e.held("a")
		e.delete("a")
		c := e.read("a")
		c.DeletionTimestamp, c.DeletionGracePeriodSeconds, c.Data = nil, nil, map[string]string{"k": "v"}
		if c = e.update(c); c.DeletionTimestamp == nil {
			e.Errorf("%+v", c.ObjectMeta)
		}
	}},
	{"the name of what is being deleted is taken", func(e *env) {
		e.held("a")
		e.delete("a")
		_, err := e.configMaps().Create(e.ctx, configMap("a"), metav1.CreateOptions{})
		e.refused(err, refusal{code: http.StatusConflict, reason: metav1.StatusReasonAlreadyExists, kind: "configmaps", name: "a",
			message: `object is being deleted: configmaps "a" already exists`})
	}},
	{"watchers see a change, then the deletion", func(e *env) {
		c := e.held("a")
		w := e.watch(metav1.ListOptions{ResourceVersion: c.ResourceVersion})
		e.delete("a")
		e.patch(types.MergePatchType, "a", `{"metadata":{"finalizers":null}}`)
		w.expect("MODIFIED a", "DELETED a")
	}},
	{"the generation of a kind with a spec counts its deletion", func(e *env) {
		d := deployment("a")
		d.Finalizers = []string{"example.com/hold"}
		e.createDeployment(d)
		e.must(e.deployments().Delete(e.ctx, "a", metav1.DeleteOptions{}))
		d, err := e.deployments().Get(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		if d.Generation != 2 || d.DeletionTimestamp == nil {
			e.Errorf("%+v", d.ObjectMeta)
		}
	}},
	{"foreground and orphaning deletion add finalizers", func(e *env) {
		for policy, finalizer := range map[metav1.DeletionPropagation]string{
			metav1.DeletePropagationForeground: metav1.FinalizerDeleteDependents, metav1.DeletePropagationOrphan: metav1.FinalizerOrphanDependents,
		} {
			name := finalizer[:6]
			e.createDeployment(deployment(name))
			e.must(e.deployments().Delete(e.ctx, name, metav1.DeleteOptions{PropagationPolicy: &policy}))
			d, err := e.deployments().Get(e.ctx, name, metav1.GetOptions{})
			e.must(err)
			e.equal(string(policy), d.Finalizers, []string{finalizer})
			if d.DeletionTimestamp == nil {
				e.Errorf("%+v", d.ObjectMeta)
			}
		}
	}},
	{"background deletion is at once", func(e *env) {
		policy := metav1.DeletePropagationBackground
		e.create(configMap("a"))
		e.must(e.configMaps().Delete(e.ctx, "a", metav1.DeleteOptions{PropagationPolicy: &policy}))
		e.gone("a")
	}},
	{"a pod on a node has its grace", func(e *env) {
		e.scheduled("a")
		e.must(e.pods().Delete(e.ctx, "a", metav1.DeleteOptions{}))
		p, err := e.pods().Get(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		if p.DeletionGracePeriodSeconds == nil || *p.DeletionGracePeriodSeconds != 30 || p.DeletionTimestamp == nil || time.Until(p.DeletionTimestamp.Time) < 10*time.Second || p.Generation != 2 {
			e.Errorf("%+v", p.ObjectMeta)
		}
	}},
	{"grace can be shortened, not lengthened", func(e *env) {
		e.scheduled("a")
		for _, step := range []struct{ ask, want int64 }{{20, 20}, {5, 5}, {50, 5}} {
			e.must(e.pods().Delete(e.ctx, "a", grace(step.ask)))
			p, err := e.pods().Get(e.ctx, "a", metav1.GetOptions{})
			e.must(err)
			if *p.DeletionGracePeriodSeconds != step.want {
				e.Errorf("asked for %d: %+v", step.ask, p.ObjectMeta)
			}
		}
	}},
	{"a grace of zero ends a pod at once", func(e *env) {
		e.scheduled("a")
		e.must(e.pods().Delete(e.ctx, "a", metav1.DeleteOptions{}))
		e.must(e.pods().Delete(e.ctx, "a", grace(0)))
		_, err := e.pods().Get(e.ctx, "a", metav1.GetOptions{})
		e.refused(err, notFound("pods", "a"))
	}},
	{"a pod on no node goes at once", func(e *env) {
		e.createPod(pod("a"))
		e.must(e.pods().Delete(e.ctx, "a", metav1.DeleteOptions{}))
		_, err := e.pods().Get(e.ctx, "a", metav1.GetOptions{})
		e.refused(err, notFound("pods", "a"))
	}},
	{"watchers see a pod that goes at once change first", func(e *env) {
		p := e.createPod(pod("a"))
		w, err := e.pods().Watch(e.ctx, metav1.ListOptions{ResourceVersion: p.ResourceVersion})
		e.must(err)
		s := e.stream(w)
		e.must(e.pods().Delete(e.ctx, "a", grace(0)))
		if events := s.expect("MODIFIED a", "DELETED a"); events[0].object.GetDeletionTimestamp() == nil {
			e.Errorf("%+v", events[0].object)
		}
	}},
	{"a pod that has ended goes at once", func(e *env) {
		p := e.scheduled("a")
		p.Status.Phase = corev1.PodSucceeded
		_, err := e.pods().UpdateStatus(e.ctx, p, metav1.UpdateOptions{})
		e.must(err)
		e.must(e.pods().Delete(e.ctx, "a", metav1.DeleteOptions{}))
		_, err = e.pods().Get(e.ctx, "a", metav1.GetOptions{})
		e.refused(err, notFound("pods", "a"))
	}},
}
