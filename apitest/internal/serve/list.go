package serve

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest/internal/storage"
)

func (s *Server) listOrWatch(w http.ResponseWriter, r *Request) error {
	out, err := s.negotiate(r)
	if err != nil {
		return err
	}
	opts, err := listOptions(r)
	if err != nil {
		return err
	}
	if s.config.Unversioned {
		s.knownVersion(opts)
	}
	c := s.callOf(r)
	f, err := s.newFilter(r, c.stored, c.namespace, opts)
	if err != nil {
		return err
	}
	v := &view{registry: s.config.Registry, kind: c.kind, stored: c.stored, output: out}
	if opts.Watch {
		return s.watch(w, r, c, f, v, opts)
	}
	page, err := c.list(f, opts)
	if err != nil {
		return err
	}
	return s.writePage(w, r, v, page)
}

// knownVersion replaces a version that the store does not have, which is that of an object, by the newest one.
func (s *Server) knownVersion(opts *metainternal.ListOptions) {
	current := s.store.Version()
	if version, err := parseVersion(opts.ResourceVersion); err == nil && version <= current {
		return
	}
	opts.ResourceVersion = strconv.FormatUint(current, 10)
	if opts.ResourceVersionMatch == metav1.ResourceVersionMatchExact {
		opts.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
}

// page is a list, or a page of it.
type page struct {
	items []runtime.Object // as they are stored
	meta  metav1.ListMeta
}

// list returns the objects that the options select.
func (c *call) list(f *filter, opts *metainternal.ListOptions) (*page, error) {
	at, start, limit, err := c.listFrom(opts)
	if err != nil {
		return nil, err
	}
	snapshot, err := c.s.store.Snapshot(c.resource, at)
	switch {
	case errors.Is(err, storage.ErrFuture):
		return nil, tooLargeVersion(at, c.s.store.Version())
	case errors.Is(err, storage.ErrCompacted):
		return nil, expiredList(opts.Continue, start, f.namespace)
	case err != nil:
		return nil, err
	}
	p := &page{meta: metav1.ListMeta{ResourceVersion: strconv.FormatUint(snapshot.Version, 10)}}
	if f.shard != nil && !c.kind.Custom {
		p.meta.ShardInfo = &metav1.ShardInfo{Selector: opts.ShardSelector}
	}
	if !f.selects() && limit == math.MaxInt64 {
		p.items = make([]runtime.Object, 0, snapshot.Count(f.namespace, start))
	}
	p.fill(snapshot, f, start, limit)
	return p, nil
}

// fill adds items up to the limit, and sets a continue token if there are more.
func (p *page) fill(snapshot storage.Snapshot, f *filter, start string, limit int64) {
	var last string
	for item := range snapshot.Items(f.namespace, start) {
		if !f.matches(item.Object) {
			continue
		}
		if int64(len(p.items)) < limit {
			p.items = append(p.items, item.Object)
			last = item.Key
			continue
		}
		next := last + "\x00"
		p.meta.Continue = encodeToken(next, f.namespace, int64(snapshot.Version))
		if f.labels == nil && f.fields == nil { // with selectors the remaining count is unknown
			remaining := int64(snapshot.Count(f.namespace, next))
			p.meta.RemainingItemCount = &remaining
		}
		return
	}
}

// listFrom returns the version to list at, 0 for the newest, and the first key.
func (c *call) listFrom(opts *metainternal.ListOptions) (at uint64, start string, limit int64, err error) {
	limit = math.MaxInt64
	if opts.Limit > 0 {
		limit = opts.Limit
	}
	if opts.Continue != "" {
		at, start, err = c.continued(opts)
		return at, start, limit, err
	}
	version, err := parseVersion(opts.ResourceVersion)
	if err != nil {
		return 0, "", 0, apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %v", err))
	}
	current := c.s.store.Version()
	switch {
	case opts.ResourceVersion == "":
		return 0, "", limit, nil
	case version == 0: // any version: the newest is available
		return 0, "", math.MaxInt64, nil
	case version > current:
		return 0, "", 0, tooLargeVersion(version, current)
	case opts.ResourceVersionMatch == metav1.ResourceVersionMatchExact,
		opts.ResourceVersionMatch == "" && opts.Limit > 0:
		return version, "", limit, nil
	}
	return 0, "", limit, nil // not older than
}

func (c *call) continued(opts *metainternal.ListOptions) (at uint64, start string, err error) {
	start, version, err := decodeToken(opts.Continue, c.namespace)
	if err != nil {
		return 0, "", apierrors.NewBadRequest(fmt.Sprintf("invalid continue token: %v", err))
	}
	if opts.ResourceVersion != "" && opts.ResourceVersion != "0" {
		return 0, "", apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	return uint64(max(version, 0)), start, nil
}

const (
	expiredToken = "The provided continue parameter is too old " +
		"to display a consistent list result. You can start a new list without " +
		"the continue parameter, or use the continue token in this response to " +
		"retrieve the remainder of the results. Continuing with the provided " +
		"token results in an inconsistent list - objects that were created, " +
		"modified, or deleted between the time the first chunk was returned " +
		"and now may show up in the list."
	expiredVersion = "The resourceVersion for the provided list is too old."
)

// expiredList is for a compacted version. A list that was in progress can be continued at the newest version, with the
// token in the response.
func expiredList(token, start, namespace string) error {
	if token == "" {
		return apierrors.NewResourceExpired(expiredVersion)
	}
	err := apierrors.NewResourceExpired(expiredToken)
	const newest = -1
	err.ErrStatus.Continue = encodeToken(start, namespace, newest)
	return err
}

// writePage writes a list.
func (s *Server) writePage(w http.ResponseWriter, r *Request, v *view, p *page) error {
	switch v.as {
	case "PartialObjectMetadata":
		return notAcceptableBecause(fmt.Sprintf("you requested PartialObjectMetadata, but the requested object is a list (*%s.%sList)",
			internalPackage(v.kind), v.kind.Kind))
	case "Table":
		include, err := tableOptions(r.Request)
		if err != nil {
			return err
		}
		shown := make([]runtime.Object, len(p.items))
		for i, item := range p.items {
			if shown[i], err = v.object(item); err != nil {
				return err
			}
		}
		table, err := v.table(shown, p.meta, include)
		if err != nil {
			return err
		}
		writeObject(w, r.Request, http.StatusOK, table, v.output)
		return nil
	}
	if v.as != "" {
		p.meta.ShardInfo = nil // lost in the real server, too
	}
	// The client may disconnect in the middle of a list.
	_ = v.writeList(w, r.Request, p.items, p.meta)
	return nil
}
