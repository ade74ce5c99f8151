package cache

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// InconsistencyError says how the objects at the beginning of a watch differ from a list of the same version. Whoever sees one has
// found a server, or something between it and the client, that tells different things to those who ask differently.
type InconsistencyError struct {
	// Type is what was listed, and ResourceVersion the version.
	Type, ResourceVersion string
	// Missing are the keys that only the list had, Unlisted those that only the watch had, Different those that had another
	// version. Each has ten at most.
	Missing, Unlisted, Different []string
	// Count is how many there are in all.
	Count int
}

func (e *InconsistencyError) Error() string {
	var parts []string
	for _, part := range []struct {
		keys []string
		what string
	}{
		{e.Missing, "not in the watch"}, {e.Unlisted, "not in the list"}, {e.Different, "of another version"},
	} {
		if len(part.keys) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", part.what, strings.Join(part.keys, ", ")))
		}
	}
	return fmt.Sprintf("%d of %s at version %s differ between the beginning of a watch and a list: %s",
		e.Count, e.Type, e.ResourceVersion, strings.Join(parts, "; "))
}

// digest is the versions of objects by their key. It can stand for a store that takes in a new state.
type digest map[string]string

func (r digest) add(a *listItem) error {
	r[a.key] = a.rev.version
	return nil
}

func (r digest) remove(key string)          { delete(r, key) }
func (r digest) commit(string) error        { return nil }
func (r digest) failed() []UndecodableError { return nil }

const maxNamed = 10

// compare returns what differs between what a watch and a list brought, or nil.
func (r digest) compare(listed digest) *InconsistencyError {
	e := new(InconsistencyError)
	note := func(keys *[]string, key string) {
		e.Count++
		*keys = append(*keys, key)
	}
	for key, version := range r {
		switch there, ok := listed[key]; {
		case !ok:
			note(&e.Unlisted, key)
		case there != version:
			note(&e.Different, key)
		}
	}
	for key := range listed {
		if _, ok := r[key]; !ok {
			note(&e.Missing, key)
		}
	}
	if e.Count == 0 {
		return nil
	}
	for _, keys := range []*[]string{&e.Missing, &e.Unlisted, &e.Different} {
		slices.Sort(*keys)
		*keys = (*keys)[:min(len(*keys), maxNamed)]
	}
	return e
}

// verify lists at the very version of a stream, and tells of what differs. A server that cannot list it any more is not to blame.
func (r *running) verify(streamed digest, version string) {
	listed := digest{}
	in := &snapshot{r: r.Reflector, relist: listed}
	options := metav1.ListOptions{ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchExact, Limit: defaultPageSize}
	for more := true; more; more = options.Continue != "" {
		page, err := r.page(in, options)
		if err != nil {
			r.logger.V(2).Info("The beginning of a watch could not be compared with a list", "type", r.typeDescription, "version", version, "err", err)
			return
		}
		options = metav1.ListOptions{Limit: defaultPageSize, Continue: page.Continue}
	}
	if e := streamed.compare(listed); e != nil {
		e.Type, e.ResourceVersion = r.typeDescription, version
		r.OnInconsistency(e)
	}
}
