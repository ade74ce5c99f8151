package serve

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest/internal/storage"
)

// delete handles a DELETE of an object.
func (s *Server) delete(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	opts, err := deleteOptions(r.Request)
	if err != nil {
		return err
	}
	c := s.callOf(r)
	c.dryRun = len(opts.DryRun) > 0
	result, deleted, err := c.delete(opts)
	if err != nil {
		return err
	}
	code := http.StatusOK
	if orphan := orphanDependents(opts); !deleted && orphan != nil && !*orphan {
		code = http.StatusAccepted
	}
	return c.answer(w, r, code, result, out)
}

// delete deletes the object or, if it has finalizers or a grace period, sets its deletion timestamp. The result is the
// object or a Status.
func (c *call) delete(opts *metav1.DeleteOptions) (result runtime.Object, deleted bool, err error) {
	if err := c.s.admitDelete(c); err != nil {
		return nil, false, err
	}
	for {
		result, deleted, err = c.deleteOnce(opts.DeepCopy())
		if !isChanged(err) {
			return result, deleted, err
		}
	}
}

func (c *call) deleteOnce(opts *metav1.DeleteOptions) (runtime.Object, bool, error) {
	item, err := c.item()
	if err != nil {
		return nil, false, err
	}
	if err := c.preconditions(item, opts.Preconditions); err != nil {
		return nil, false, err
	}
	if opts.GracePeriodSeconds != nil && *opts.GracePeriodSeconds < 0 {
		*opts.GracePeriodSeconds = 1
	}
	if c.s.config.Lenient {
		return c.deleteNow(item)
	}
	if isNamespace(c.kind) {
		return c.deleteNamespace(item, opts)
	}
	obj := item.Object.DeepCopyObject()
	m := metaOf(obj)
	graceful, pending := beforeDelete(obj, opts)
	if pending {
		live, err := c.show(item.Object)
		return live, false, err
	}
	waiting := len(m.GetFinalizers()) > 0
	changed := c.collectorFinalizers(m, opts)
	if graceful || waiting || changed {
		waiting = len(m.GetFinalizers()) > 0
		if !graceful && waiting {
			markDeleting(m)
		}
		if graceful || waiting {
			if item, err = c.replace(item, obj); err != nil {
				return nil, false, err
			}
			if waiting || graceful && *opts.GracePeriodSeconds > 0 {
				live, err := c.show(item.Object)
				return live, false, err
			}
		}
	}
	return c.remove(item)
}

// replace replaces item with obj, unless they are the same.
func (c *call) replace(item *storage.Item, obj runtime.Object) (*storage.Item, error) {
	if same(obj, item.Object) {
		return item, nil
	}
	if c.dryRun {
		return &storage.Item{Key: item.Key, Version: item.Version, Created: item.Created, Object: obj}, nil
	}
	return c.s.store.Update(c.resource, item, obj)
}

// remove removes the object from the store.
func (c *call) remove(item *storage.Item) (runtime.Object, bool, error) {
	if !c.dryRun {
		if isDefinition(c.kind) {
			c.s.removeCustom(item.Object)
		}
		last, err := c.s.store.Delete(c.resource, item)
		if err != nil {
			return nil, false, err
		}
		c.s.afterDelete(c, item)
		item = last
	}
	if returnsDeleted[c.kind.GroupKind()] {
		obj, err := c.show(item.Object)
		return obj, true, err
	}
	m := metaOf(item.Object)
	return &metav1.Status{Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{
		Name:  m.GetName(),
		Group: c.kind.Group,
		Kind:  c.kind.Plural,
		UID:   m.GetUID(),
	}}, true, nil
}

// preconditions checks the preconditions of a deletion.
func (c *call) preconditions(item *storage.Item, p *metav1.Preconditions) error {
	if p == nil {
		return nil
	}
	m := metaOf(item.Object)
	kind := schema.GroupResource{Group: c.kind.Group, Resource: c.kind.Kind} // the real server has the kind here, too
	if p.UID != nil && *p.UID != m.GetUID() {
		return apierrors.NewConflict(kind, c.name, fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, m.GetUID()))
	}
	version := strconv.FormatUint(item.Version, 10)
	if c.s.config.Unversioned {
		version = m.GetResourceVersion()
	}
	if p.ResourceVersion != nil && *p.ResourceVersion != version {
		return apierrors.NewConflict(kind, c.name, fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, version))
	}
	return nil
}

// markDeleting sets the deletion timestamp of an object with finalizers.
func markDeleting(m metav1.Object) {
	now := metav1.NewTime(time.Now()).Rfc3339Copy()
	if m.GetDeletionTimestamp() == nil && m.GetGeneration() > 0 {
		m.SetGeneration(m.GetGeneration() + 1)
	}
	if at := m.GetDeletionTimestamp(); at == nil || at.After(now.Time) {
		m.SetDeletionTimestamp(&now)
	}
	var none int64
	m.SetDeletionGracePeriodSeconds(&none)
}
