package serve

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest/internal/storage"
)

// track updates the managed fields of a new object. Fields that admission has added or the server has allocated have no
// manager, so they are removed before: sent is the object without them.
func (c *call) track(obj, sent runtime.Object) (runtime.Object, error) {
	tracked, err := c.s.config.Patcher.Track(nil, withoutAdmitted(obj, sent), c.kind, c.sub, c.manager)
	if err != nil {
		return nil, err
	}
	metaOf(obj).SetManagedFields(metaOf(tracked).GetManagedFields())
	return obj, nil
}

// withoutAdmitted returns obj with the client's values of the fields that admission changes.
func withoutAdmitted(obj, sent runtime.Object) runtime.Object {
	obj = storage.Shallow(obj)
	switch o := obj.(type) {
	case *corev1.Pod:
		spec := &sent.(*corev1.Pod).Spec
		o.Spec.Priority, o.Spec.PreemptionPolicy, o.Spec.Tolerations = spec.Priority, spec.PreemptionPolicy, spec.Tolerations
	case *corev1.Node:
		o.Spec.Taints = sent.(*corev1.Node).Spec.Taints
	case *corev1.PersistentVolume:
		o.Finalizers = sent.(*corev1.PersistentVolume).Finalizers
	case *corev1.PersistentVolumeClaim:
		o.Finalizers = sent.(*corev1.PersistentVolumeClaim).Finalizers
	case *corev1.Service:
		spec := &sent.(*corev1.Service).Spec
		o.Spec.ClusterIP, o.Spec.ClusterIPs = spec.ClusterIP, spec.ClusterIPs
		o.Spec.IPFamilies, o.Spec.IPFamilyPolicy = spec.IPFamilies, spec.IPFamilyPolicy
		o.Spec.HealthCheckNodePort = spec.HealthCheckNodePort
		o.Spec.Ports = slices.Clone(o.Spec.Ports)
		for i := range o.Spec.Ports {
			o.Spec.Ports[i].NodePort = spec.Ports[i].NodePort
		}
	case *batchv1.Job:
		job := sent.(*batchv1.Job)
		o.Labels, o.Spec.Selector, o.Spec.Template.Labels = job.Labels, job.Spec.Selector, job.Spec.Template.Labels
	}
	return obj
}

// asSent returns a copy of an object that admission may change.
func asSent(obj runtime.Object) runtime.Object {
	switch obj.(type) {
	case *corev1.Pod, *corev1.Node, *corev1.PersistentVolume, *corev1.PersistentVolumeClaim, *corev1.Service, *batchv1.Job:
		return obj.DeepCopyObject()
	}
	return nil
}
