package conformance

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var namespaces = []behaviour{
	{"the default ones exist", func(e *env) {
		for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease"} {
			ns, err := e.kube.CoreV1().Namespaces().Get(e.ctx, name, metav1.GetOptions{})
			e.must(err)
			if ns.Status.Phase != corev1.NamespaceActive {
				e.Errorf("%+v", ns)
			}
		}
	}},
	{"a new one is active, labelled by its name, and held by a finalizer", func(e *env) {
		ns, err := e.kube.CoreV1().Namespaces().Get(e.ctx, e.namespace(), metav1.GetOptions{})
		e.must(err)
		if ns.Status.Phase != corev1.NamespaceActive || ns.Labels[corev1.LabelMetadataName] != e.ns || len(ns.Spec.Finalizers) != 1 || ns.Spec.Finalizers[0] != corev1.FinalizerKubernetes {
			e.Errorf("%+v", ns)
		}
	}},
	{"the system's cannot be deleted", func(e *env) {
		for _, name := range []string{"default", "kube-system", "kube-public"} {
			err := e.kube.CoreV1().Namespaces().Delete(e.ctx, name, metav1.DeleteOptions{})
			e.refused(err, refusal{code: http.StatusForbidden, reason: metav1.StatusReasonForbidden, kind: "namespaces", name: name,
				message: "this namespace may not be deleted"})
		}
	}},
	{"one that is being deleted is terminating, and takes nothing new", func(e *env) {
		e.terminate()
		ns, err := e.kube.CoreV1().Namespaces().Get(e.ctx, e.ns, metav1.GetOptions{})
		e.must(err)
		if ns.Status.Phase != corev1.NamespaceTerminating || ns.DeletionTimestamp == nil {
			e.Errorf("%+v", ns)
		}
		want := refusal{code: http.StatusForbidden, reason: metav1.StatusReasonForbidden, kind: "configmaps", name: "new",
			message: "because it is being terminated", causes: []cause{{corev1.NamespaceTerminatingCause, "metadata.namespace"}}}
		_, err = e.configMaps().Create(e.ctx, configMap("new"), metav1.CreateOptions{})
		e.refused(err, want)
		_, err = e.tryApply("one", false, configMap("new"))
		e.refused(err, want)
	}},
	{"in one that is being deleted, what is there can be changed and deleted", func(e *env) {
		e.terminate()
		e.data(e.patch(types.MergePatchType, "held", `{"data":{"k":"v"}}`), map[string]string{"k": "v"})
		e.delete("held")
	}},
	{"one without finalizers goes when it is finalized", func(e *env) {
		e.must(e.kube.CoreV1().Namespaces().Delete(e.ctx, e.namespace(), metav1.DeleteOptions{}))
		ns, err := e.kube.CoreV1().Namespaces().Get(e.ctx, e.ns, metav1.GetOptions{})
		if err != nil { // the namespace controller was faster
			e.refused(err, notFound("namespaces", e.ns))
			return
		}
		ns.Spec.Finalizers = nil
		if _, err := e.kube.CoreV1().Namespaces().Finalize(e.ctx, ns, metav1.UpdateOptions{}); err != nil {
			e.refused(err, notFound("namespaces", e.ns))
		}
		_, err = e.kube.CoreV1().Namespaces().Get(e.ctx, e.ns, metav1.GetOptions{})
		e.refused(err, notFound("namespaces", e.ns))
	}},
	{"the name is free in another one", func(e *env) {
		e.create(configMap("a"))
		_, err := e.kube.CoreV1().ConfigMaps(e.newNamespace()).Create(e.ctx, configMap("a"), metav1.CreateOptions{})
		e.must(err)
	}},
	{"a path without one creates nothing", func(e *env) {
		a := e.ask("POST", "/api/v1/configmaps", `{"metadata":{"name":"a","namespace":"default"}}`)
		e.refused(a.err, refusal{code: http.StatusMethodNotAllowed, reason: metav1.StatusReasonMethodNotAllowed})
	}},
}

// terminate deletes the behaviour's namespace, which contains an object with a finalizer, so that it stays terminating.
func (e *env) terminate() {
	e.Helper()
	e.held("held")
	e.must(e.kube.CoreV1().Namespaces().Delete(e.ctx, e.ns, metav1.DeleteOptions{}))
}
