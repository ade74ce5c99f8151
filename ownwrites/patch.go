package ownwrites

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/cache"
	"vedette.dev/gentype"
)

// patch sends a patch and records the answer. With Config.LockPatches it adds the cached version, so that the server
// rejects the patch if there was a foreign write in between; then it sends the original patch.
func patch[T any](w writer, name string, pt types.PatchType, data []byte, dryRun []string, send func(data []byte) (T, error)) (T, error) {
	s := sending{at: target{namespace: w.namespace, name: name}}
	if pt == types.MergePatchType || pt == types.StrategicMergePatchType || pt == types.ApplyPatchType {
		s.from.base = versionIn(data)
		if locked, version, ok := w.lock(name, data, s.from.base); ok && len(dryRun) == 0 {
			answer, err := write(w, sending{s.at, origin{base: version}}, nil, func() (T, error) { return send(locked) })
			if err == nil || !conflict(err) {
				return answer, err
			}
		}
	}
	return write(w, s, dryRun, func() (T, error) { return send(data) })
}

// apply is like patch, for an apply configuration.
func apply[T any](w writer, cfg gentype.ApplyConfiguration, opts metav1.ApplyOptions, send func(gentype.ApplyConfiguration) (T, error)) (T, error) {
	if isNil(cfg) || cfg.GetName() == nil {
		return send(cfg) // the client reports the error
	}
	data, err := json.Marshal(cfg)
	if err != nil {
		return send(cfg)
	}
	name := *cfg.GetName()
	return patch(w, name, types.ApplyPatchType, data, opts.DryRun, func(data []byte) (T, error) {
		return send(configuration{name: name, data: data})
	})
}

// configuration is an ApplyConfiguration in marshalled form.
type configuration struct {
	name string
	data []byte
}

func (c configuration) GetName() *string             { return &c.name }
func (c configuration) MarshalJSON() ([]byte, error) { return c.data, nil }

// lock adds the cached version to a patch that has none.
func (w writer) lock(name string, data []byte, base string) (locked []byte, version string, ok bool) {
	if !w.t.config.LockPatches || base != "" {
		return nil, "", false
	}
	obj, exists, err := w.t.view.GetByKey(w.t.ident(cache.ObjectName{Namespace: w.namespace, Name: name}).String())
	m := metaOf(obj)
	if err != nil || !exists || m == nil || m.GetResourceVersion() == "" {
		return nil, "", false
	}
	locked, ok = withVersion(data, m.GetResourceVersion())
	return locked, m.GetResourceVersion(), ok
}

// versionIn returns the resource version that a patch contains.
func versionIn(data []byte) string {
	var p struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if json.Unmarshal(data, &p) != nil {
		return ""
	}
	return p.Metadata.ResourceVersion
}

// withVersion adds a resource version to a patch. The rest of its bytes is unchanged.
func withVersion(data []byte, version string) ([]byte, bool) {
	var doc, metadata map[string]json.RawMessage
	if json.Unmarshal(data, &doc) != nil || doc == nil {
		return nil, false
	}
	if raw, ok := doc["metadata"]; ok && (json.Unmarshal(raw, &metadata) != nil || metadata == nil) {
		return nil, false
	}
	if metadata == nil {
		metadata = map[string]json.RawMessage{}
	}
	var err error
	if metadata["resourceVersion"], err = json.Marshal(version); err != nil {
		return nil, false
	}
	if doc["metadata"], err = json.Marshal(metadata); err != nil {
		return nil, false
	}
	out, err := json.Marshal(doc)
	return out, err == nil
}
