//go:build !vedette_noconsole

package console

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// metadata is the metadata of an object that the page shows beside its text.
type metadata struct {
	Version, UID string
	Created      time.Time
	Generation   int64
	Labels       map[string]string
	// Manager is the manager of the most recent change, according to the managed fields.
	Manager string
	Changed time.Time
}

// metadataOf returns the metadata of an object of which nothing is hidden.
func metadataOf(meta metav1.Object) metadata {
	m := metadata{
		Version: meta.GetResourceVersion(), UID: string(meta.GetUID()), Created: meta.GetCreationTimestamp().Time,
		Generation: meta.GetGeneration(), Labels: meta.GetLabels(),
	}
	for _, one := range meta.GetManagedFields() {
		if one.Time != nil {
			m.written(one.Manager, one.Time.Time)
		}
	}
	return m
}

// metadataIn returns the metadata of a redacted object: any of its fields may be missing or have another type.
func metadataIn(fields map[string]any) metadata {
	meta, _ := fields["metadata"].(map[string]any)
	text := func(in map[string]any, field string) string {
		value, _ := in[field].(string)
		return value
	}
	at := func(in map[string]any, field string) time.Time {
		parsed, _ := time.Parse(time.RFC3339, text(in, field))
		return parsed
	}
	m := metadata{Version: text(meta, "resourceVersion"), UID: text(meta, "uid"), Created: at(meta, "creationTimestamp")}
	if generation, ok := meta["generation"].(json.Number); ok {
		m.Generation, _ = generation.Int64()
	}
	if labels, _ := meta["labels"].(map[string]any); len(labels) > 0 {
		m.Labels = map[string]string{}
		for name, value := range labels {
			m.Labels[name] = fmt.Sprint(value)
		}
	}
	managers, _ := meta["managedFields"].([]any)
	for _, one := range managers {
		entry, _ := one.(map[string]any)
		m.written(text(entry, "manager"), at(entry, "time"))
	}
	return m
}

func (m *metadata) written(manager string, at time.Time) {
	if at.After(m.Changed) {
		m.Manager, m.Changed = manager, at
	}
}
