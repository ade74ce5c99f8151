package serve

import (
	"fmt"
	"maps"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"vedette.dev/kubernetes/scheme"
)

// decodeAs decodes the body of a subresource, which has another kind than the object.
func decodeAs(r *Request, gvk schema.GroupVersionKind) (runtime.Object, error) {
	if _, err := inputMedia(r.Request); err != nil {
		return nil, err
	}
	body, err := readBody(r.Request)
	if err != nil {
		return nil, err
	}
	obj, got, err := scheme.Codecs.UniversalDeserializer().Decode(body, &gvk, nil)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if *got != gvk {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s", got.Kind, got.Version, gvk.Kind))
	}
	return obj, nil
}

// created writes the response of a subresource without content.
func (c *call) created(w http.ResponseWriter, r *Request, out output) error {
	status := &metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusCreated}
	return c.answer(w, r, http.StatusCreated, status, out)
}

// bind assigns a pod to a node, as the scheduler does.
func (s *Server) bind(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	obj, err := decodeAs(r, corev1.SchemeGroupVersion.WithKind("Binding"))
	if err != nil {
		return err
	}
	opts, err := createOptions(r.Request)
	if err != nil {
		return err
	}
	binding := obj.(*corev1.Binding)
	if errs := validateBinding(binding); len(errs) > 0 {
		return fmt.Errorf("%w", errs.ToAggregate()) // not a Status: the real server answers with 500
	}
	c := s.callOf(r)
	if err := c.checkName(binding); err != nil {
		return err
	}
	c.dryRun, c.prepared, c.tracked = len(opts.DryRun) > 0, true, true
	_, _, err = c.change(changeFunc{apply: func(live runtime.Object) (runtime.Object, error) {
		return c.bound(live.(*corev1.Pod), binding)
	}})
	if err != nil {
		return err
	}
	return c.created(w, r, out)
}

func validateBinding(b *corev1.Binding) field.ErrorList {
	var errs field.ErrorList
	if kind := b.Target.Kind; kind != "" && kind != "Node" {
		errs = append(errs, field.NotSupported(field.NewPath("target", "kind"), kind, []string{"Node", "<empty>"}))
	}
	if b.Target.Name == "" {
		errs = append(errs, field.Required(field.NewPath("target", "name"), ""))
	}
	return errs
}

func (c *call) bound(live *corev1.Pod, binding *corev1.Binding) (runtime.Object, error) {
	conflict := func(format string, args ...any) error {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, c.name, fmt.Errorf(format, args...))
	}
	switch {
	case binding.UID != "" && binding.UID != live.UID:
		return nil, c.uidConflict(binding.UID, live.UID)
	case live.DeletionTimestamp != nil:
		return nil, conflict("pod %s is being deleted, cannot be assigned to a host", c.name)
	case live.Spec.NodeName != "":
		return nil, conflict("pod %v is already assigned to node %q", c.name, live.Spec.NodeName)
	case len(live.Spec.SchedulingGates) != 0:
		return nil, conflict("pod %v has non-empty .spec.schedulingGates", c.name)
	}
	pod := live.DeepCopy()
	pod.Spec.NodeName = binding.Target.Name
	if len(binding.Annotations) > 0 {
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		maps.Copy(pod.Annotations, binding.Annotations)
	}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now().Rfc3339Copy(),
	})
	return pod, nil
}
