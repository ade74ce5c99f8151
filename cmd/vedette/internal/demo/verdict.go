package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/cache"
	"vedette.dev/internal/sites"
)

// Verdict is the result of a demo.
type Verdict struct {
	Kinds []KindVerdict
	// Objects is the number of objects of the server, Caches and Handlers the number of caches and handlers compared with it.
	Objects, Caches, Handlers int
	// Sites and Pages are the numbers of sites and pages of the operator. Reconciles counts its reconciles, and Failed those that failed.
	Sites, Pages       int
	Reconciles, Failed uint64
	Changes, Faults    int64
	// Problems has the differences and wrong calls. The demo has passed if it is empty.
	Problems []string
}

// KindVerdict is the result for one informer.
type KindVerdict struct {
	Name string
	// Server and Cache are their numbers of objects, Same reports whether these are the same objects in the same state.
	Server, Cache int
	Same          bool
	// Handlers is the number of handlers, and SameHandlers the number of those with the same objects as the server.
	Handlers, SameHandlers int
}

// Verdict waits for a limited time until all changes have been processed, and compares the server with the caches and the handlers.
// Run must have ended. It returns an error if the server cannot be read; a difference is not an error.
func (d *Demo) Verdict(ctx context.Context, atMost time.Duration, progress func(text string)) (v Verdict, err error) {
	deadline := time.Now().Add(atMost)
	for {
		waitsFor := d.machine.pending()
		if waitsFor == "" {
			before := d.machine.operator.State().Reconciles
			v, err = d.compare(ctx)
			calm := d.machine.pending() == "" && d.machine.operator.State().Reconciles == before
			if err == nil && calm && len(v.Problems) == 0 {
				return v, nil
			}
			if waitsFor = "the operator"; err != nil {
				waitsFor = err.Error()
			} else if len(v.Problems) > 0 {
				waitsFor = v.Problems[0]
			}
		}
		if time.Now().After(deadline) {
			return d.late(ctx, waitsFor)
		}
		progress("waiting for pending changes: " + waitsFor)
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return v, context.Cause(ctx)
		}
	}
}

// late is the verdict if changes are still pending after that time.
func (d *Demo) late(ctx context.Context, waitsFor string) (Verdict, error) {
	v, err := d.compare(ctx)
	if err == nil && len(v.Problems) == 0 {
		v.Problems = []string{"changes still pending: " + waitsFor}
	}
	return v, err
}

// pending describes a change that is still being processed, or returns "".
func (m *machine) pending() string {
	for _, l := range m.looks {
		state := cache.StateOf(l.informer)
		if err := state.Err(); err != nil {
			return err.Error()
		}
		if state.Pending > 0 {
			return fmt.Sprintf("%d changes of %s are on their way to the cache", state.Pending, l.name)
		}
		for _, h := range state.Handlers {
			if h.Waiting > 0 || !h.Busy.IsZero() {
				return fmt.Sprintf("handler %d of %s is behind by %d", h.Number, l.name, h.Waiting)
			}
		}
	}
	if !m.idle() {
		return "the operator has work to do"
	}
	return ""
}

// compare compares the server with the caches, the ledgers, and what the operator should have done.
func (d *Demo) compare(ctx context.Context) (Verdict, error) {
	state := d.machine.operator.State()
	v := Verdict{Reconciles: state.Reconciles, Failed: state.Failures, Changes: d.changes.Load() + d.world.changes(), Faults: d.faults.Load()}
	if state.Reconciles == 0 {
		v.Problems = append(v.Problems, "the operator has done nothing")
	}
	seen := make(map[string]bool)
	owned := make(map[types.UID]int)
	for _, l := range d.machine.looks {
		list, err := d.machine.metadata.Resource(l.resource).Namespace(d.Namespace()).List(ctx, metav1.ListOptions{})
		if err != nil {
			return v, fmt.Errorf("cannot list %s: %w", l.resource.Resource, err)
		}
		truth := make(map[string]identity, len(list.Items))
		for i := range list.Items {
			truth[cache.MetaObjectToName(&list.Items[i]).String()] = identityOf(&list.Items[i])
		}
		v.judge(l, truth)
		if seen[l.resource.Resource] {
			continue
		}
		seen[l.resource.Resource] = true
		v.Objects += len(truth)
		if l.resource == configMaps {
			for i := range list.Items {
				if uid := sites.Of(&list.Items[i]); uid != "" {
					owned[uid]++
				}
			}
		}
	}
	return v, d.judgeSites(ctx, &v, owned)
}

// judge compares a cache and its ledgers with the objects of the server.
func (v *Verdict) judge(l *looked, truth map[string]identity) {
	cached := make(map[string]identity)
	for _, obj := range l.informer.GetStore().List() {
		if m, ok := obj.(metav1.Object); ok {
			cached[cache.MetaObjectToName(m).String()] = identityOf(m)
		}
	}
	k := KindVerdict{Name: l.name, Server: len(truth), Cache: len(cached), Handlers: len(l.ledgers)}
	problem := differs("the cache of "+l.name, truth, cached)
	if k.Same = problem == ""; !k.Same {
		v.Problems = append(v.Problems, problem)
	}
	for _, book := range l.ledgers {
		book.read(func(known map[string]identity, wrong []string, wrongCount int) {
			problem := differs("the "+book.name, truth, known)
			if problem == "" && wrongCount == 0 {
				k.SameHandlers++
			}
			if problem != "" {
				v.Problems = append(v.Problems, problem)
			}
			if wrongCount > 0 {
				v.Problems = append(v.Problems, fmt.Sprintf("the %s was called wrongly %d times; the first: %s", book.name, wrongCount, wrong[0]))
			}
		})
	}
	v.Caches++
	v.Handlers += len(l.ledgers)
	v.Kinds = append(v.Kinds, k)
}

// differs names objects in which a view differs from the server, or returns "".
func differs(who string, truth, view map[string]identity) string {
	var missing, stale, extra []string
	for key, is := range truth {
		if has, ok := view[key]; !ok {
			missing = append(missing, key)
		} else if has != is {
			stale = append(stale, fmt.Sprintf("%s (%s, want %s)", key, has.version, is.version))
		}
	}
	for key := range view {
		if _, ok := truth[key]; !ok {
			extra = append(extra, key)
		}
	}
	for _, found := range []struct {
		keys   []string
		format string
	}{
		{missing, "%s lacks %d of the %d objects of the server, such as %s"},
		{stale, "%s has an old state of %d of the %d objects of the server, such as %s"},
		{extra, "%s has %d objects that are not among the %d of the server, such as %s"},
	} {
		if n := len(found.keys); n > 0 {
			return fmt.Sprintf(found.format, who, n, len(truth), slices.Min(found.keys))
		}
	}
	return ""
}

// judgeSites checks that the operator has done its work: each site has the pages it wants and reports them in its status, and no pages
// are left of deleted sites. owned has the number of pages of each site.
func (d *Demo) judgeSites(ctx context.Context, v *Verdict, owned map[types.UID]int) error {
	list, err := d.machine.sites.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot list sites: %w", err)
	}
	for _, site := range list.Items {
		v.Sites++
		v.Pages += owned[site.UID]
		if owned[site.UID] != site.Spec.Pages || site.Status.Pages != site.Spec.Pages || site.Status.ObservedGeneration != site.Generation {
			v.Problems = append(v.Problems, fmt.Sprintf("site %s wants %d pages, has %d, and its status says %d", site.Name, site.Spec.Pages, owned[site.UID], site.Status.Pages))
		}
		delete(owned, site.UID)
	}
	if len(owned) > 0 {
		v.Problems = append(v.Problems, fmt.Sprintf("there are pages of %d deleted sites", len(owned)))
	}
	return nil
}
