package serve

import (
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"vedette.dev/apitest/internal/kinds"
)

// create handles a POST of an object.
func (s *Server) create(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	body, err := readBody(r.Request)
	if err != nil {
		return err
	}
	opts, err := createOptions(r.Request)
	if err != nil {
		return err
	}
	c := s.callOf(r)
	c.dryRun, c.manager = len(opts.DryRun) > 0, managerOf(opts.FieldManager, r.UserAgent())
	obj, warnings, err := s.decode(r, body, opts.FieldValidation)
	if err != nil {
		return err
	}
	c.warn(warnings...)
	if !r.Kind.Listed() {
		return s.review(w, r, c, obj, out)
	}
	created, err := c.create(obj)
	if err != nil {
		return err
	}
	return c.answer(w, r, http.StatusCreated, created, out)
}

// create stores a new object, which it may modify, and returns the stored object.
func (c *call) create(obj runtime.Object) (runtime.Object, error) {
	m := metaOf(obj)
	if err := c.ensureNamespace(m); err != nil {
		return nil, err
	}
	if err := c.s.admitCreate(c, m); err != nil {
		return nil, err
	}
	if m.GetName() != "" || m.GetGenerateName() == "" {
		return c.warned(c.createNamed(obj))
	}
	const attempts = 8
	for attempt := 1; ; attempt++ {
		candidate := obj.DeepCopyObject()
		metaOf(candidate).SetName(generateName(m.GetGenerateName()))
		created, err := c.createNamed(candidate)
		if err == nil || !apierrors.IsAlreadyExists(err) {
			return c.warned(created, err)
		}
		if attempt == attempts {
			return nil, apierrors.NewGenerateNameConflict(c.groupResource(), metaOf(candidate).GetName(), 1)
		}
	}
}

// generateName appends five random characters.
func generateName(base string) string {
	const suffix, longest = 5, 63
	if len(base) > longest-suffix {
		base = base[:longest-suffix]
	}
	return base + utilrand.String(suffix)
}

func (c *call) createNamed(obj runtime.Object) (runtime.Object, error) {
	m := metaOf(obj)
	c.name = m.GetName()
	if c.s.config.Lenient {
		return c.createAsIs(obj)
	}
	m.SetCreationTimestamp(metav1.Now().Rfc3339Copy())
	m.SetUID(newUID())
	m.SetDeletionTimestamp(nil)
	m.SetDeletionGracePeriodSeconds(nil)
	m.SetSelfLink("")
	obj, err := c.prepareCreate(obj)
	if err != nil {
		return nil, err
	}
	m = metaOf(obj)
	if version := m.GetResourceVersion(); version != "" && version != "0" {
		return nil, errors.New("resourceVersion should not be set on objects to be created")
	}
	return c.store(obj)
}

// store adds a complete object.
func (c *call) store(obj runtime.Object) (runtime.Object, error) {
	if !c.s.config.Unversioned {
		metaOf(obj).SetResourceVersion("")
	}
	kept, err := c.keep(obj)
	if err != nil {
		return nil, err
	}
	if c.dryRun {
		if c.s.store.Get(c.resource, c.key()) != nil {
			return nil, c.exists()
		}
		return c.show(kept)
	}
	item, err := c.s.store.Create(c.resource, c.key(), kept)
	if isExists(err) {
		return nil, c.exists()
	}
	if err != nil {
		return nil, err
	}
	item = c.s.afterWrite(c, item)
	return c.show(item.Object)
}

func (c *call) exists() error {
	err := apierrors.NewAlreadyExists(c.groupResource(), c.name)
	if item := c.s.store.Get(c.resource, c.key()); item != nil && metaOf(item.Object).GetDeletionTimestamp() != nil {
		err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
	}
	return err
}

// prepareCreate sets defaults and validates the object.
func (c *call) prepareCreate(obj runtime.Object) (runtime.Object, error) {
	sent := asSent(obj)
	c.kind.Prepare(obj, nil, kinds.Create)
	if !c.tracked {
		var err error
		if obj, err = c.track(obj, sent); err != nil {
			return nil, err
		}
	}
	m := metaOf(obj)
	if errs := c.kind.Validate(obj, nil, kinds.Create); len(errs) > 0 {
		return nil, apierrors.NewInvalid(c.kind.GroupKind(), m.GetName(), errs)
	}
	errs := metavalidation.ValidateObjectMetaAccessor(m, c.kind.Namespaced, pathSegment, field.NewPath("metadata"))
	if len(errs) > 0 {
		return nil, apierrors.NewInvalid(c.kind.GroupKind(), m.GetName(), errs)
	}
	return obj, nil
}

func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// ensureNamespace sets the namespace of the path, and rejects another one.
func (c *call) ensureNamespace(m metav1.Object) error {
	switch m.GetNamespace() {
	case c.namespace:
	case "":
		m.SetNamespace(c.namespace)
	default:
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}
