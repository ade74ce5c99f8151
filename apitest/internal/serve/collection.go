package serve

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// deleteCollection handles a DELETE of all objects that a list would return; the response is that list.
func (s *Server) deleteCollection(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	opts, err := listOptions(r)
	if err != nil {
		return err
	}
	deletion, err := deleteOptions(r.Request)
	if err != nil {
		return err
	}
	c := s.callOf(r)
	f, err := s.newFilter(r, c.stored, c.namespace, opts)
	if err != nil {
		return err
	}
	page, err := c.list(f, opts)
	if err != nil {
		return err
	}
	c.dryRun = len(deletion.DryRun) > 0
	for _, obj := range page.items {
		m := metaOf(obj)
		c.namespace, c.name = m.GetNamespace(), m.GetName()
		if _, _, err := c.delete(deletion); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	v := &view{registry: s.config.Registry, kind: c.kind, stored: c.stored, output: out}
	return s.writePage(w, r, v, page)
}
