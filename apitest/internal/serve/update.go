package serve

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"vedette.dev/apitest/internal/kinds"
	"vedette.dev/apitest/internal/storage"
)

// update handles a PUT of an object or its status.
func (s *Server) update(w http.ResponseWriter, r *Request) error {
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
	c := s.callOf(r)
	c.dryRun, c.manager = len(opts.DryRun) > 0, managerOf(opts.FieldManager, r.UserAgent())
	obj, warnings, err := s.decode(r, body, opts.FieldValidation)
	if err != nil {
		return err
	}
	c.warn(warnings...)
	result, created, err := c.put(obj)
	if err != nil {
		return err
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return c.answer(w, r, code, result, out)
}

// put replaces the object of the call by obj, which is not modified.
func (c *call) put(obj runtime.Object) (result runtime.Object, created bool, err error) {
	m := metaOf(obj)
	if err := c.ensureNamespace(m); err != nil {
		return nil, false, err
	}
	if err := c.checkName(m); err != nil {
		return nil, false, err
	}
	uid := m.GetUID()
	return c.change(changeFunc{
		apply: func(live runtime.Object) (runtime.Object, error) {
			updated := obj.DeepCopyObject()
			if live == nil {
				return updated, nil
			}
			if liveUID := metaOf(live).GetUID(); uid != "" && uid != liveUID && !c.s.config.Unversioned {
				return nil, c.uidConflict(uid, liveUID)
			}
			return updated, nil
		},
		create: c.kind.CreatesOnUpdate() && c.sub == "" && !c.s.config.Lenient,
	})
}

func (c *call) checkName(m metav1.Object) error {
	switch m.GetName() {
	case c.name:
		return nil
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", c.name))
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", m.GetName(), c.name))
}

func (c *call) uidConflict(wanted, have types.UID) error {
	return apierrors.NewConflict(c.groupResource(), c.name, fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: /registry/%s/%s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s",
		c.resource.Resource, c.key(), wanted, have))
}

// changeFunc is a change of an object that may be retried.
type changeFunc struct {
	// apply returns the new object, without modifying live, which is nil if there is no object.
	apply func(live runtime.Object) (runtime.Object, error)
	// create means that the object need not exist.
	create bool
}

// change reads the object, changes it and stores it, with retries after concurrent writes.
func (c *call) change(f changeFunc) (result runtime.Object, created bool, err error) {
	for {
		item := c.s.store.Get(c.resource, c.key())
		if item == nil {
			if !f.create {
				return nil, false, apierrors.NewNotFound(c.groupResource(), c.name)
			}
			obj, err := f.apply(nil)
			if err != nil {
				return nil, false, err
			}
			result, err = c.create(obj)
			return result, true, err
		}
		result, err = c.changeOnce(item, f)
		if !isChanged(err) {
			result, err = c.warned(result, err)
			return result, false, err
		}
	}
}

const modified = "the object has been modified; please apply your changes to the latest version and try again"

func (c *call) changeOnce(item *storage.Item, f changeFunc) (runtime.Object, error) {
	live, err := c.show(item.Object)
	if err != nil {
		return nil, err
	}
	obj, err := f.apply(live)
	if err != nil {
		return nil, err
	}
	if err := c.checkVersion(item, obj); err != nil {
		return nil, err
	}
	if obj, err = c.prepareUpdate(obj, live); err != nil {
		return nil, err
	}
	if err := c.validateUpdate(obj, live); err != nil {
		return nil, err
	}
	keepTimes(withoutKind(obj), live)
	if finalized(obj, live) && !holdsNamespace(obj) && !c.neverHeld(live) {
		return c.removeFinalized(item, obj)
	}
	if same(obj, live) {
		return live, nil
	}
	kept, err := c.keep(obj)
	if err != nil {
		return nil, err
	}
	if c.dryRun {
		return c.show(kept)
	}
	item, err = c.s.store.Update(c.resource, item, kept)
	if err != nil {
		return nil, err
	}
	item = c.s.afterWrite(c, item)
	return c.show(item.Object)
}

// checkVersion implements optimistic locking: a version in obj must be the newest.
func (c *call) checkVersion(item *storage.Item, obj runtime.Object) error {
	if c.s.config.Unversioned {
		return nil
	}
	m := metaOf(obj)
	var version uint64
	if text := m.GetResourceVersion(); text != "" {
		var err error
		if version, err = strconv.ParseUint(text, 10, 64); err != nil {
			return errors.New(err.Error())
		}
	}
	switch {
	case version == item.Version:
	case version != 0:
		return apierrors.NewConflict(c.groupResource(), c.name, errors.New(modified))
	case !c.kind.UpdatesUnconditionally() && !c.s.config.Lenient:
		gk := c.kind.GroupKind()
		gk.Kind = c.kind.Plural
		return apierrors.NewInvalid(gk, c.name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")})
	}
	m.SetResourceVersion(strconv.FormatUint(item.Version, 10))
	return nil
}

func (c *call) operation() kinds.Operation {
	if c.sub == "status" || c.sub == "approval" {
		return kinds.UpdateStatus
	}
	return kinds.Update
}

// prepareUpdate resets what this operation may not change, and updates the managed fields.
func (c *call) prepareUpdate(obj, live runtime.Object) (runtime.Object, error) {
	m, old := metaOf(obj), metaOf(live)
	if err := c.ensureNamespace(m); err != nil {
		return nil, err
	}
	if c.s.config.Lenient {
		return c.updateAsIs(obj, live), nil
	}
	if !c.prepared {
		m.SetGeneration(old.GetGeneration())
		c.kind.Prepare(obj, live, c.operation())
	}
	if m.GetUID() == "" {
		m.SetUID(old.GetUID())
	}
	if created := old.GetCreationTimestamp(); !created.IsZero() {
		m.SetCreationTimestamp(created)
	}
	if !old.GetDeletionTimestamp().IsZero() {
		m.SetDeletionTimestamp(old.GetDeletionTimestamp())
	}
	if old.GetDeletionGracePeriodSeconds() != nil && m.GetDeletionGracePeriodSeconds() == nil {
		m.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
	}
	if c.tracked {
		return obj, nil
	}
	return c.s.config.Patcher.Track(live, obj, c.kind, c.sub, c.manager)
}

func (c *call) validateUpdate(obj, live runtime.Object) error {
	if c.s.config.Lenient {
		return nil
	}
	m, path := metaOf(obj), field.NewPath("metadata")
	errs := metavalidation.ValidateObjectMetaAccessor(m, c.kind.Namespaced, pathSegment, path)
	errs = append(errs, metavalidation.ValidateObjectMetaAccessorUpdate(m, metaOf(live), path)...)
	if !c.prepared && !ownRules[c.sub] {
		errs = append(errs, c.kind.Validate(obj, live, c.operation())...)
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(c.kind.GroupKind(), c.name, errs)
	}
	return nil
}

// ownRules are subresources that may change fields that are immutable otherwise.
var ownRules = map[string]bool{"ephemeralcontainers": true, "resize": true}

// finalized reports whether an object that is being deleted has lost its last finalizer.
func finalized(obj, live runtime.Object) bool {
	old := metaOf(live)
	grace := old.GetDeletionGracePeriodSeconds()
	return len(metaOf(obj).GetFinalizers()) == 0 && old.GetDeletionTimestamp() != nil && (grace == nil || *grace == 0)
}

// removeFinalized deletes the object and returns what it would have become.
func (c *call) removeFinalized(item *storage.Item, obj runtime.Object) (runtime.Object, error) {
	if c.dryRun {
		return obj, nil
	}
	if _, err := c.s.store.Delete(c.resource, item); err != nil {
		return nil, err
	}
	c.s.afterDelete(c, item)
	return obj, nil
}
