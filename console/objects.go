//go:build !vedette_noconsole

package console

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/cache"
)

const (
	// maxRows is the maximum number of objects listed.
	maxRows = 100
	// maxRedact is the maximum number of objects searched by labels, if each has to be copied for Config.Redact first.
	maxRedact = 10_000
)

// objectsData is the data of the view of many objects.
type objectsData struct {
	// Informers are the names to choose from: of informers that have a store.
	Informers []string
	Informer  string
	// The parameters of the search.
	Key, Label, Index, Value, Sort string
	// Indexes are the names of the indexes, Values some of the values in the chosen one.
	Indexes, Values []string

	Rows []objectRow
	// Found is the number of matches among Total objects; TooMany is true if not all were searched.
	Found, Total int
	TooMany      bool
	Changes      *changesResult
	Now          time.Time
}

type objectRow struct {
	Key, Version string
	Created      time.Time
	Size         int64
	Generation   int64
	Times        int
	Changed      time.Time
}

// storer is an informer whose store can be read.
type storer interface{ GetStore() cache.Store }

// store returns the informer with the given name, and its store.
func (p *Page) store(name string) (cache.StateReader, cache.Store, error) {
	informer, ok := p.sampler.reader.informers()[name]
	if !ok {
		return nil, nil, fmt.Errorf("unknown informer %q: %w", name, errNotFound)
	}
	with, ok := informer.(storer)
	if !ok {
		return nil, nil, fmt.Errorf("informer %q has no store: %w", name, errNotFound)
	}
	return informer, with.GetStore(), nil
}

// names returns the names of the informers that have a store.
func (p *Page) names() []string {
	var names []string
	for name, informer := range p.sampler.reader.informers() {
		if _, ok := informer.(storer); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (p *Page) objectsView(q query) (any, error) {
	d := &objectsData{
		Informers: p.names(), Informer: q.Get("informer"), Key: strings.TrimSpace(q.Get("key")), Label: strings.TrimSpace(q.Get("label")),
		Index: q.Get("index"), Value: q.Get("value"), Sort: q.Get("sort"), Now: time.Now(),
	}
	if d.Informer == "" && len(d.Informers) > 0 {
		d.Informer = d.Informers[0]
	}
	if d.Informer == "" {
		return d, nil
	}
	informer, store, err := p.store(d.Informer)
	if err != nil {
		return d, err
	}
	hints := []string{informer.State().Type, d.Informer}
	p.readIndexes(d, store, hints)
	if d.Sort == "changed" {
		result := p.changes.look(d.Informer, store, maxRows)
		d.Changes = &result
		for _, c := range result.Top {
			row := objectRow{Key: c.key, Times: c.times, Changed: c.at}
			p.fill(&row, store, hints)
			d.Rows = append(d.Rows, row)
		}
		d.Found = len(d.Rows)
		return d, nil
	}
	p.scan.Lock()
	defer p.scan.Unlock()
	return d, p.find(d, store, hints)
}

// stillObjects reports whether the list is not refreshed: searching a large store once a second would cost too much.
// The scans that count changes limit themselves.
func stillObjects(q query) bool { return q.Get("sort") != "changed" }

// hideValues reports whether the values of indexes are hidden: they may be derived from secret fields, and it is not
// known what Config.Redact would remove from them.
func (p *Page) hideValues(hints []string) bool {
	return p.config.Redact != nil || strings.Contains(strings.ToLower(strings.Join(hints, " ")), "secret")
}

func (p *Page) readIndexes(d *objectsData, store cache.Store, hints []string) {
	indexer, ok := store.(cache.Indexer)
	if !ok {
		return
	}
	d.Indexes = slices.Sorted(maps.Keys(indexer.GetIndexers()))
	if p.hideValues(hints) {
		d.Indexes = slices.DeleteFunc(d.Indexes, func(name string) bool { return name != cache.NamespaceIndex })
	}
	if slices.Contains(d.Indexes, d.Index) {
		d.Values = indexer.ListIndexFuncValues(d.Index)
		slices.Sort(d.Values)
		d.Values = d.Values[:min(len(d.Values), 2*maxRows)]
		d.Values = slices.DeleteFunc(d.Values, func(value string) bool { return !p.mayShow(indexer, d.Index, value) })
	}
}

// mayShow reports whether a value of an index may be shown: it must belong to an object of which nothing is hidden.
func (p *Page) mayShow(indexer cache.Indexer, index, value string) bool {
	const enough = 10
	if index == cache.NamespaceIndex {
		return true
	}
	keys, err := indexer.IndexKeys(index, value)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(keys[:min(len(keys), enough)], func(key string) bool {
		obj, ok, err := indexer.GetByKey(key)
		return ok && err == nil && p.untouched(obj)
	})
}

// find runs the search.
func (p *Page) find(d *objectsData, store cache.Store, hints []string) error {
	selector, err := labels.Parse(d.Label)
	if err != nil {
		return fmt.Errorf("label %q: %w", d.Label, err)
	}
	all, err := p.candidates(d, store)
	if err != nil {
		return err
	}
	most := maxScan
	if !selector.Empty() && p.config.Redact != nil {
		most = maxRedact
	}
	if len(all) > most {
		all, d.TooMany = all[:most], true
	}
	for _, obj := range all {
		meta := metaOf(obj)
		if meta == nil {
			continue
		}
		key := keyOf(meta.GetNamespace(), meta.GetName())
		if d.Key != "" && !strings.Contains(key, d.Key) {
			continue
		}
		// Hidden labels cannot be searched for.
		if !selector.Empty() && !selector.Matches(labels.Set(p.metadata(obj, hints...).Labels)) {
			continue
		}
		d.Found++
		row := objectRow{Key: key}
		if d.Sort == "largest" {
			row.Size = sizeOf(obj)
		}
		d.Rows = append(d.Rows, row)
		if len(d.Rows) >= 4*maxRows {
			d.trim()
		}
	}
	d.trim()
	for i := range d.Rows {
		p.fill(&d.Rows[i], store, hints)
	}
	return nil
}

// candidates returns the objects to search.
func (p *Page) candidates(d *objectsData, store cache.Store) ([]any, error) {
	if d.Index == "" || d.Value == "" {
		if obj, ok, err := store.GetByKey(d.Key); d.Key != "" && ok && err == nil {
			d.Total = len(store.ListKeys())
			return []any{obj}, nil
		}
		all := store.List()
		d.Total = len(all)
		return all, nil
	}
	indexer, ok := store.(cache.Indexer)
	if !ok || !slices.Contains(d.Indexes, d.Index) {
		return nil, fmt.Errorf("informer %q has no usable index %q: %w", d.Informer, d.Index, errNotFound)
	}
	all, err := indexer.ByIndex(d.Index, d.Value)
	if d.Index != cache.NamespaceIndex {
		// Values that an object hides cannot be found by way of an index.
		all = slices.DeleteFunc(slices.Clone(all), func(obj any) bool { return !p.untouched(obj) })
	}
	d.Total = len(all)
	return all, err
}

// trim keeps the first rows.
func (d *objectsData) trim() {
	slices.SortFunc(d.Rows, func(a, b objectRow) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(a.Key, b.Key))
	})
	d.Rows = d.Rows[:min(len(d.Rows), maxRows)]
}

// fill completes a row with what may be shown of its object, if it still exists.
func (p *Page) fill(r *objectRow, store cache.Store, hints []string) {
	obj, ok, err := store.GetByKey(r.Key)
	if !ok || err != nil {
		return
	}
	m := p.metadata(obj, hints...)
	r.Size, r.Version, r.Created, r.Generation = sizeOf(obj), m.Version, m.Created, m.Generation
}
