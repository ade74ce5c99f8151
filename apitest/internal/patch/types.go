package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"vedette.dev/apitest/internal/kinds"
)

// builtin holds the types of built-in versions, by version. To make them takes tens of milliseconds for the large ones and
// always gives the same, so a process does it once for each version that it writes to.
//
// Invariant: what is in it does not change.
var builtin sync.Map // schema.GroupVersion → func() (managedfields.TypeConverter, error)

var scale = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// typeTable finds the types of objects of a kind, and of other versions of it.
type typeTable struct {
	patcher *patcher
	shape   shape
}

func (t typeTable) ObjectToTyped(obj runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	types, err := t.patcher.types(obj.GetObjectKind().GroupVersionKind())
	if err != nil {
		return nil, err
	}
	return types.ObjectToTyped(obj, options...)
}

func (t typeTable) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	// No converter needs its schema for this way.
	return managedfields.NewDeducedTypeConverter().TypedToObject(value)
}

// types has those of a kind. An error for which runtime.IsNotRegisteredError holds makes managers of lost versions lose
// their fields, as in kube-apiserver.
func (p *patcher) types(gvk schema.GroupVersionKind) (managedfields.TypeConverter, error) {
	if kind, ok := p.registry.KindFor(gvk); ok && kind.Custom {
		return p.customTypes(kind)
	}
	gv := gvk.GroupVersion()
	if gvk == scale {
		gv = schema.GroupVersion{Group: "apps", Version: "v1"} // documents describe what their own paths serve
	}
	made, ok := builtin.Load(gv)
	if !ok {
		document, ok := p.registry.OpenAPI(gv)
		if !ok {
			return nil, notRegistered(gvk)
		}
		made, _ = builtin.LoadOrStore(gv, sync.OnceValues(func() (managedfields.TypeConverter, error) {
			return typesOf(document)
		}))
	}
	return made.(func() (managedfields.TypeConverter, error))()
}

func (p *patcher) customTypes(kind *kinds.Kind) (managedfields.TypeConverter, error) {
	p.mu.Lock()
	made, ok := p.custom[kind]
	p.mu.Unlock()
	if ok {
		return made, nil
	}
	document, ok := p.registry.OpenAPI(kind.GroupVersion())
	if !ok {
		return managedfields.NewDeducedTypeConverter(), nil
	}
	made, err := typesOf(document)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.custom[kind] = made
	return made, nil
}

func typesOf(document []byte) (managedfields.TypeConverter, error) {
	schemas, err := schemasOf(document)
	if err != nil {
		return nil, err
	}
	for _, described := range schemas {
		addNewFields(described)
	}
	return managedfields.NewTypeConverter(schemas, false)
}

// schemasOf reads that part of an OpenAPI document. In the documents of kube-apiserver it follows the paths, which are
// most of the text: they are skipped without being read.
func schemasOf(document []byte) (map[string]*spec.Schema, error) {
	var components struct {
		Schemas map[string]*spec.Schema `json:"schemas"`
	}
	_, rest, _ := bytes.Cut(document, []byte(`"components":`))
	if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&components); err != nil {
		return nil, fmt.Errorf("the OpenAPI document cannot be read: %w", err)
	}
	return components.Schemas, nil
}
