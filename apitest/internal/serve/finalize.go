package serve

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// finalize sets the finalizers in the spec of a namespace. A terminating namespace without any is removed.
func (s *Server) finalize(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	body, err := readBody(r.Request)
	if err != nil {
		return err
	}
	opts, err := updateOptions(r.Request)
	if err != nil {
		return err
	}
	obj, warnings, err := s.decode(r, body, opts.FieldValidation)
	if err != nil {
		return err
	}
	c := s.callOf(r)
	c.warn(warnings...)
	c.dryRun, c.prepared = len(opts.DryRun) > 0, true
	c.manager = managerOf(opts.FieldManager, r.UserAgent())
	wanted := obj.(*corev1.Namespace)
	if err := c.checkName(wanted); err != nil {
		return err
	}
	result, _, err := c.change(changeFunc{apply: func(live runtime.Object) (runtime.Object, error) {
		namespace := live.(*corev1.Namespace).DeepCopy()
		namespace.Spec.Finalizers = wanted.Spec.Finalizers
		namespace.ResourceVersion = wanted.ResourceVersion
		return namespace, nil
	}})
	if err != nil {
		return err
	}
	return c.answer(w, r, http.StatusOK, result, out)
}
