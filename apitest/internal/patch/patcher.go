package patch

import (
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"vedette.dev/apitest/internal/kinds"
)

// New makes the patcher of one server. What it learns about built-in kinds is shared by all patchers of the process.
func New(r *kinds.Registry) Patcher {
	return &patcher{
		registry: r,
		managers: map[managerKey]*managedfields.FieldManager{},
		custom:   map[*kinds.Kind]managedfields.TypeConverter{},
	}
}

type patcher struct {
	registry *kinds.Registry
	plain    bool // objects have no defaults

	mu       sync.Mutex // guards what follows; it is not held while something is made
	managers map[managerKey]*managedfields.FieldManager
	// custom holds the types of custom kinds. A definition that changes makes new kinds, so none of them grows stale.
	custom map[*kinds.Kind]managedfields.TypeConverter
}

// WithoutDefaults implements Patcher.
func (p *patcher) WithoutDefaults() Patcher {
	plain := New(p.registry).(*patcher)
	plain.plain = true
	return plain
}

func (p *patcher) shapeOf(kind *kinds.Kind, subresource string) shape {
	s := shapeOf(kind, subresource)
	s.plain = p.plain
	return s
}

// Patch implements Patcher.
func (p *patcher) Patch(live runtime.Object, r Request) (runtime.Object, []string, error) {
	if err := CheckType(r.Kind, r.Type); err != nil {
		return nil, nil, err
	}
	s := p.shapeOf(r.Kind, r.Subresource)
	if r.Type == types.ApplyYAMLPatchType {
		return p.applied(s, live, r)
	}
	if live == nil {
		return nil, nil, apierrors.NewNotFound(r.Kind.Resource().GroupResource(), r.Name)
	}
	change := p.patchText
	if r.Type == types.StrategicMergePatchType {
		change = p.patchStrategic
	}
	patched, warnings, err := change(s, live, r)
	if err != nil {
		return nil, nil, asStatus(err)
	}
	if err := keepIdentity(live, patched, r); err != nil {
		return nil, nil, err
	}
	if r.Untracked {
		return patched, warnings, nil
	}
	patched, err = p.track(s, live, patched, r.Subresource, r.Manager)
	return patched, warnings, err
}

func (p *patcher) applied(s shape, live runtime.Object, r Request) (runtime.Object, []string, error) {
	obj, warnings, err := p.apply(s, live, r)
	if err != nil {
		return nil, nil, asStatus(err)
	}
	if err := keepIdentity(live, obj, r); err != nil {
		return nil, nil, err
	}
	return obj, warnings, nil
}
