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

// maxRows is how many objects are listed.
const maxRows = 100

// objectsData is the view of many objects.
type objectsData struct {
	// Informers are the names to choose from, of those that have a store.
	Informers []string
	Informer  string
	// What was asked for.
	Key, Label, Index, Value, Sort string
	// Indexes are the names of the indexes, and Values some of the values in the chosen one.
	Indexes, Values []string

	Rows []objectRow
	// Found is how many match, of Total; TooMany says that not all were looked at.
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

// store finds the informer of a name, and its store.
func (p *Page) store(name string) (cache.StateReader, cache.Store, error) {
	informer, ok := p.sampler.reader.informers()[name]
	if !ok {
		return nil, nil, fmt.Errorf("there is no informer %q: %w", name, errNotFound)
	}
	with, ok := informer.(storer)
	if !ok {
		return nil, nil, fmt.Errorf("informer %q has no store to look into: %w", name, errNotFound)
	}
	return informer, with.GetStore(), nil
}

// names are those of the informers that have a store.
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
	d.readIndexes(informer, store)
	if d.Sort == "changed" {
		result := p.changes.look(d.Informer, store, maxRows)
		d.Changes = &result
		for _, c := range result.Top {
			row := objectRow{Key: c.key, Version: c.version, Times: c.times, Changed: c.at}
			if obj, ok, _ := store.GetByKey(c.key); ok {
				row.fill(obj)
			}
			d.Rows = append(d.Rows, row)
		}
		d.Found = len(d.Rows)
		return d, nil
	}
	p.scan.Lock()
	defer p.scan.Unlock()
	return d, d.find(store)
}

// stillObjects tells whether a list is not sent again: to look through a large store once a second would cost too much. Counting
// changes spares itself.
func stillObjects(q query) bool { return q.Get("sort") != "changed" }

// hideValues tells whether the values of indexes are kept back: they may be made of what is secret.
func hideValues(informer cache.StateReader, name string) bool {
	return strings.Contains(strings.ToLower(informer.State().Type+" "+name), "secret")
}

func (d *objectsData) readIndexes(informer cache.StateReader, store cache.Store) {
	indexer, ok := store.(cache.Indexer)
	if !ok {
		return
	}
	d.Indexes = slices.Sorted(maps.Keys(indexer.GetIndexers()))
	if hideValues(informer, d.Informer) {
		d.Indexes = slices.DeleteFunc(d.Indexes, func(name string) bool { return name != cache.NamespaceIndex })
	}
	if slices.Contains(d.Indexes, d.Index) {
		d.Values = indexer.ListIndexFuncValues(d.Index)
		slices.Sort(d.Values)
		d.Values = d.Values[:min(len(d.Values), 2*maxRows)]
	}
}

// find looks for what was asked for.
func (d *objectsData) find(store cache.Store) error {
	selector, err := labels.Parse(d.Label)
	if err != nil {
		return fmt.Errorf("label %q: %w", d.Label, err)
	}
	all, err := d.candidates(store)
	if err != nil {
		return err
	}
	if len(all) > maxScan {
		all, d.TooMany = all[:maxScan], true
	}
	for _, obj := range all {
		meta := metaOf(obj)
		if meta == nil {
			continue
		}
		key := keyOf(meta.GetNamespace(), meta.GetName())
		if d.Key != "" && !strings.Contains(key, d.Key) || !selector.Matches(labels.Set(meta.GetLabels())) {
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
		if obj, ok, _ := store.GetByKey(d.Rows[i].Key); ok {
			d.Rows[i].fill(obj)
		}
	}
	return nil
}

// candidates are the objects to look at.
func (d *objectsData) candidates(store cache.Store) ([]any, error) {
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
		return nil, fmt.Errorf("informer %q has no index %q that can be asked: %w", d.Informer, d.Index, errNotFound)
	}
	all, err := indexer.ByIndex(d.Index, d.Value)
	d.Total = len(all)
	return all, err
}

// trim keeps the rows that come first.
func (d *objectsData) trim() {
	slices.SortFunc(d.Rows, func(a, b objectRow) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(a.Key, b.Key))
	})
	d.Rows = d.Rows[:min(len(d.Rows), maxRows)]
}

func (r *objectRow) fill(obj any) {
	r.Size = sizeOf(obj)
	if meta := metaOf(obj); meta != nil {
		r.Version, r.Created, r.Generation = meta.GetResourceVersion(), meta.GetCreationTimestamp().Time, meta.GetGeneration()
	}
}
