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

// Verdict is what came of a demo.
type Verdict struct {
	Kinds []KindVerdict
	// Objects is how many the server has, Caches and Handlers how many were compared with it.
	Objects, Caches, Handlers int
	// Sites and Pages are those of the operator; Reconciles is how many it has done, and Failed how many of them failed.
	Sites, Pages       int
	Reconciles, Failed uint64
	Changes, Faults    int64
	// Problems is what differs, or was told wrongly. All is well if there is none.
	Problems []string
}

// KindVerdict is what came of one informer.
type KindVerdict struct {
	Name string
	// Server and Cache are how many objects they have, Same reports whether they are the same ones in the same state.
	Server, Cache int
	Same          bool
	// Handlers is how many were told of the objects, and SameHandlers how many of them know the same ones.
	Handlers, SameHandlers int
}

// Verdict waits until all is quiet, for some time at most, and compares the server with all that was made of it. Run must have ended. The
// error is that the server could not be asked; what differs is no error.
func (d *Demo) Verdict(ctx context.Context, atMost time.Duration, progress func(text string)) (v Verdict, err error) {
	deadline := time.Now().Add(atMost)
	for {
		waitsFor := d.machine.unrest()
		if waitsFor == "" {
			before := d.machine.operator.State().Reconciles
			v, err = d.compare(ctx)
			calm := d.machine.unrest() == "" && d.machine.operator.State().Reconciles == before
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
		progress("waiting until all is quiet: " + waitsFor)
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return v, context.Cause(ctx)
		}
	}
}

// late is the verdict on what has not become quiet in time.
func (d *Demo) late(ctx context.Context, waitsFor string) (Verdict, error) {
	v, err := d.compare(ctx)
	if err == nil && len(v.Problems) == 0 {
		v.Problems = []string{"it did not become quiet: " + waitsFor}
	}
	return v, err
}

// unrest is what is still under way, empty if nothing is.
func (m *machine) unrest() string {
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

// judge compares a cache and its ledgers with the truth.
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
				v.Problems = append(v.Problems, fmt.Sprintf("the %s was told wrongly %d times; the first: %s", book.name, wrongCount, wrong[0]))
			}
		})
	}
	v.Caches++
	v.Handlers += len(l.ledgers)
	v.Kinds = append(v.Kinds, k)
}

// differs names objects in which a view is not the same as the server, and is empty if there are none.
func differs(who string, truth, view map[string]identity) string {
	var missing, stale, extra []string
	for key, is := range truth {
		if has, ok := view[key]; !ok {
			missing = append(missing, key)
		} else if has != is {
			stale = append(stale, fmt.Sprintf("%s (%s, and not %s)", key, has.version, is.version))
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
		{missing, "%s misses %d of the %d objects of the server, such as %s"},
		{stale, "%s has an old state of %d of the %d objects of the server, such as %s"},
		{extra, "%s has %d objects that are not among the %d of the server, such as %s"},
	} {
		if n := len(found.keys); n > 0 {
			return fmt.Sprintf(found.format, who, n, len(truth), slices.Min(found.keys))
		}
	}
	return ""
}

// judgeSites reports whether the operator has done its work: each site has the pages it wants, and says so, and nothing is left of
// others. owned is how many pages there are of each.
func (d *Demo) judgeSites(ctx context.Context, v *Verdict, owned map[types.UID]int) error {
	list, err := d.machine.sites.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot list sites: %w", err)
	}
	for _, site := range list.Items {
		v.Sites++
		v.Pages += owned[site.UID]
		if owned[site.UID] != site.Spec.Pages || site.Status.Pages != site.Spec.Pages || site.Status.ObservedGeneration != site.Generation {
			v.Problems = append(v.Problems, fmt.Sprintf("site %s wants %d pages, has %d, and says %d", site.Name, site.Spec.Pages, owned[site.UID], site.Status.Pages))
		}
		delete(owned, site.UID)
	}
	if len(owned) > 0 {
		v.Problems = append(v.Problems, fmt.Sprintf("there are pages of %d sites that are gone", len(owned)))
	}
	return nil
}
