//go:build !vedette_noconsole

package console

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/yaml"
)

// objectData is the data of the view of one object.
type objectData struct {
	Informer, Key, Format string
	Kind                  string
	Size                  int64 // of the cached object
	// The other fields are those of the redacted object.
	metadata
	Text string
	// Hidden is the number of values removed; Managed is true if managed fields were removed, WithManaged if they are
	// shown.
	Hidden               int
	Managed, WithManaged bool
	Explained            []explained
	// Why is the reason for which the text is missing.
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
		return d, fmt.Errorf("informer %q has no object %q: %w", d.Informer, d.Key, errNotFound)
	}
	d.Kind, d.Size = typeName(fmt.Sprintf("%T", obj)), sizeOf(obj)
	s, err := p.redacted(obj, d.WithManaged, informer.State().Type, d.Informer)
	if err != nil {
		d.Why = err.Error()
		return d, nil
	}
	d.metadata, d.Hidden, d.Managed = s.metadata, s.hidden, s.managed
	if kind, _ := s.fields["kind"].(string); kind != "" {
		d.Kind = kind
	}
	d.Text, err = textOf(s.fields, d.Format)
	return d, err
}

func textOf(fields map[string]any, format string) (string, error) {
	if format == "json" {
		text, err := json.MarshalIndent(fields, "", "  ")
		return string(text), err
	}
	text, err := yaml.Marshal(fields)
	return string(text), err
}

// explainFor returns the explanations of the controllers that an informer feeds.
func (p *Page) explainFor(informer, key string) []explained {
	now, _ := p.sampler.look()
	var found []explained
	for _, c := range p.config.controllers() {
		if w := now.work(c.Name()); w == nil || !slices.Contains(w.feeds, informer) {
			continue
		}
		if e, err := c.ExplainString(key); err == nil {
			found = append(found, newExplained(e, time.Now()))
		}
	}
	return found
}
