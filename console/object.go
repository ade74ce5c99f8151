//go:build !vedette_noconsole

package console

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"vedette.dev/cache"
)

// objectData is the view of one object.
type objectData struct {
	Informer, Key, Format string
	Kind, Version, UID    string
	Created, Changed      time.Time
	// Manager is who changed it last.
	Manager    string
	Generation int64
	Size       int64
	Labels     map[string]string
	Text       string
	// Hidden is how many values were taken out; Managed, that managed fields were, and WithManaged, that they are shown.
	Hidden               int
	Managed, WithManaged bool
	Explained            []explained
	// Why says why the text is missing.
	Why string
	Now time.Time
}

func (p *Page) objectView(q query) (any, error) {
	d := &objectData{Informer: q.Get("informer"), Key: q.Get("key"), Format: "yaml", WithManaged: q.Get("managed") == "1", Now: time.Now()}
	if q.Get("as") == "json" {
		d.Format = "json"
	}
	informer, store, err := p.store(d.Informer)
	if err != nil {
		return d, err
	}
	d.Explained = p.explainFor(d.Informer, d.Key)
	obj, ok, err := store.GetByKey(d.Key)
	if err != nil {
		return d, fmt.Errorf("informer %q: key %q: %w", d.Informer, d.Key, err)
	}
	if !ok {
		return d, fmt.Errorf("informer %q has no object %q now: %w", d.Informer, d.Key, errNotFound)
	}
	d.describe(obj, informer)
	s, err := p.redacted(obj, d.WithManaged, informer.State().Type, d.Informer)
	if err != nil {
		d.Why = err.Error()
		return d, nil
	}
	d.Hidden, d.Managed = s.hidden, s.managed
	d.Text, err = textOf(s.fields, d.Format)
	return d, err
}

func (d *objectData) describe(obj any, informer cache.StateReader) {
	d.Size = sizeOf(obj)
	d.Kind = typeName(fmt.Sprintf("%T", obj))
	if o, ok := obj.(runtime.Object); ok {
		if kind := o.GetObjectKind().GroupVersionKind().Kind; kind != "" {
			d.Kind = kind
		}
	}
	meta := metaOf(obj)
	if meta == nil {
		return
	}
	d.Version, d.UID, d.Created = meta.GetResourceVersion(), string(meta.GetUID()), meta.GetCreationTimestamp().Time
	d.Generation, d.Labels = meta.GetGeneration(), meta.GetLabels()
	for _, m := range meta.GetManagedFields() {
		if m.Time != nil && m.Time.After(d.Changed) {
			d.Changed, d.Manager = m.Time.Time, m.Manager
		}
	}
}

func textOf(fields map[string]any, format string) (string, error) {
	if format == "json" {
		text, err := json.MarshalIndent(fields, "", "  ")
		return string(text), err
	}
	text, err := yaml.Marshal(fields)
	return string(text), err
}

// explainFor asks the controllers that an informer feeds about a key.
func (p *Page) explainFor(informer, key string) []explained {
	now, _ := p.sampler.look()
	var found []explained
	for _, c := range p.config.Controllers {
		if w := now.work(c.Name()); w == nil || !slices.Contains(w.feeds, informer) {
			continue
		}
		if e, err := c.ExplainString(key); err == nil {
			found = append(found, newExplained(e, time.Now()))
		}
	}
	return found
}
