package serve

import (
	"fmt"
	"net/http"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/patch"
)

var scaleKind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")

// scale handles the scale subresource.
func (s *Server) scale(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	c := s.callOf(r)
	var change func(scale *autoscalingv1.Scale) (*autoscalingv1.Scale, error)
	switch r.Verb {
	case "get":
		item, err := c.item()
		if err != nil {
			return err
		}
		scale, err := c.scaleOf(item.Object, false)
		if err != nil {
			return err
		}
		return s.writeScale(w, r, scale, out)
	case "update":
		change, err = c.putScale(r)
	default:
		change, err = c.patchScale(r)
	}
	if err != nil {
		return err
	}
	c.prepared, c.tracked = true, true
	result, _, err := c.change(changeFunc{apply: func(live runtime.Object) (runtime.Object, error) {
		return c.rescale(live, change)
	}})
	if err != nil {
		return err
	}
	scale, err := c.scaleOf(result, false)
	if err != nil {
		return err
	}
	c.writeWarnings(w)
	return s.writeScale(w, r, scale, out)
}

func (s *Server) writeScale(w http.ResponseWriter, r *Request, scale *autoscalingv1.Scale, out output) error {
	scale.SetGroupVersionKind(scaleKind)
	if out.as == "Table" {
		return s.writeScaleTable(w, r, scale, out)
	}
	writeObject(w, r.Request, http.StatusOK, scale, output{media: out.media, pretty: out.pretty})
	return nil
}

func (s *Server) writeScaleTable(w http.ResponseWriter, r *Request, scale *autoscalingv1.Scale, out output) error {
	include, err := tableOptions(r.Request)
	if err != nil {
		return err
	}
	table, err := kinds.ScaleTable(scale, include)
	if err != nil {
		return err
	}
	table.SetGroupVersionKind(tableKind(out.asVersion))
	writeObject(w, r.Request, http.StatusOK, table, out)
	return nil
}

func (c *call) putScale(r *Request) (func(*autoscalingv1.Scale) (*autoscalingv1.Scale, error), error) {
	obj, err := decodeAs(r, scaleKind)
	if err != nil {
		return nil, err
	}
	opts, err := updateOptions(r.Request)
	if err != nil {
		return nil, err
	}
	c.dryRun, c.manager = len(opts.DryRun) > 0, managerOf(opts.FieldManager, r.UserAgent())
	wanted := obj.(*autoscalingv1.Scale)
	if err := c.checkName(wanted); err != nil {
		return nil, err
	}
	return func(live *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
		tracked, err := c.s.config.Patcher.Track(live, wanted.DeepCopy(), c.kind, "scale", c.manager)
		if err != nil {
			return nil, err
		}
		return tracked.(*autoscalingv1.Scale), nil
	}, nil
}

func (c *call) patchScale(r *Request) (func(*autoscalingv1.Scale) (*autoscalingv1.Scale, error), error) {
	request, err := c.s.patchRequest(r, c)
	if err != nil {
		return nil, err
	}
	return func(live *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
		patched, warnings, err := c.s.config.Patcher.Patch(live, request)
		if err != nil {
			return nil, err
		}
		c.warnings = warnings
		return patched.(*autoscalingv1.Scale), nil
	}, nil
}

// rescale returns the object with the number of replicas of the changed scale.
func (c *call) rescale(live runtime.Object, change func(*autoscalingv1.Scale) (*autoscalingv1.Scale, error)) (runtime.Object, error) {
	scale, err := c.scaleOf(live, true)
	if err != nil {
		return nil, err
	}
	parent := metaOf(live).GetManagedFields()
	path := c.replicasPath()
	if scale.ManagedFields, err = patch.ScaleFields(c.kind, parent, path...); err != nil {
		return nil, err
	}
	changed, err := change(scale)
	if err != nil {
		return nil, err
	}
	if changed.Spec.Replicas < 0 {
		return nil, apierrors.NewInvalid(scaleKind.GroupKind(), c.name, field.ErrorList{field.Invalid(
			field.NewPath("spec", "replicas"), changed.Spec.Replicas, "must be greater than or equal to 0")})
	}
	obj := live.DeepCopyObject()
	if err := c.setReplicas(obj, changed.Spec.Replicas); err != nil {
		return nil, err
	}
	m := metaOf(obj)
	m.SetResourceVersion(changed.ResourceVersion)
	fields, err := patch.ParentFields(c.kind, parent, changed.ManagedFields, path...)
	if err != nil {
		return nil, err
	}
	m.SetManagedFields(fields)
	return obj, nil
}

// scaleOf returns the scale of an object. For a change the number may not be set yet.
func (c *call) scaleOf(obj runtime.Object, change bool) (*autoscalingv1.Scale, error) {
	m := metaOf(obj)
	scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{
		Name: m.GetName(), Namespace: m.GetNamespace(), UID: m.GetUID(), ResourceVersion: m.GetResourceVersion(),
		CreationTimestamp: m.GetCreationTimestamp(),
	}}
	switch o := obj.(type) {
	case *appsv1.Deployment:
		return fillScale(scale, o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector)
	case *appsv1.ReplicaSet:
		return fillScale(scale, o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector)
	case *appsv1.StatefulSet:
		return fillScale(scale, o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector)
	case *corev1.ReplicationController:
		scale, err := fillScale(scale, o.Spec.Replicas, o.Status.Replicas, nil)
		scale.Status.Selector = labels.SelectorFromSet(o.Spec.Selector).String()
		return scale, err
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return c.customScale(scale, u, change)
	}
	return nil, fmt.Errorf("%T has no scale", obj)
}

func fillScale(scale *autoscalingv1.Scale, wanted *int32, have int32, selector *metav1.LabelSelector) (*autoscalingv1.Scale, error) {
	if wanted != nil {
		scale.Spec.Replicas = *wanted
	}
	scale.Status.Replicas = have
	if selector != nil {
		s, err := metav1.LabelSelectorAsSelector(selector)
		if err != nil {
			return nil, apierrors.NewInternalError(err)
		}
		scale.Status.Selector = s.String()
	}
	return scale, nil
}

// setReplicas sets the number of replicas in an object that may be modified.
func (c *call) setReplicas(obj runtime.Object, replicas int32) error {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return c.setCustomReplicas(u, replicas)
	}
	wanted := reflect.ValueOf(obj).Elem().FieldByName("Spec").FieldByName("Replicas").Addr().Interface().(**int32)
	if *wanted == nil || **wanted != replicas {
		m := metaOf(obj)
		m.SetGeneration(m.GetGeneration() + 1)
	}
	*wanted = &replicas
	return nil
}
