package patch

import (
	"k8s.io/apimachinery/pkg/util/managedfields"

	"vedette.dev/apitest/internal/kinds"
)

type managerKey struct {
	kind        *kinds.Kind
	subresource string
}

// manager is who keeps the accounts of a kind, or of one of its subresources. Making one is cheap but for its types.
func (p *patcher) manager(s shape, subresource string) (*managedfields.FieldManager, error) {
	key := managerKey{s.kind, subresource}
	p.mu.Lock()
	made, ok := p.managers[key]
	p.mu.Unlock()
	if ok {
		return made, nil
	}
	create := managedfields.NewDefaultFieldManager
	if s.kind.Custom {
		create = managedfields.NewDefaultCRDFieldManager
	}
	convert := converter{registry: p.registry, shape: s}
	made, err := create(typeTable{p, s}, convert, convert, s, s.GroupVersionKind, s.GroupVersion(), subresource, resetFields(p.registry, s, subresource))
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.managers[key] = made
	return made, nil
}
