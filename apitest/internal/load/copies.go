package load

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Copies makes numbered copies of an object, which it does not change.
type Copies struct {
	template runtime.Object
	base     string
	seed     uint64
}

// NewCopies is for an object that has a name, or a prefix for one. Copy 7 of "web" is "web-000007".
func NewCopies(template runtime.Object, seed uint64) (*Copies, error) {
	m, err := meta.Accessor(template)
	if err != nil {
		return nil, err
	}
	base := m.GetGenerateName()
	if base == "" {
		base = m.GetName()
	}
	if base == "" {
		return nil, fmt.Errorf("it has neither a name nor a generateName to make names of")
	}
	return &Copies{template: template, base: strings.TrimSuffix(base, "-") + "-", seed: seed}, nil
}

// Copy is the one of a number, from 0 on.
func (c *Copies) Copy(i int) runtime.Object {
	obj := c.template.DeepCopyObject()
	m, err := meta.Accessor(obj)
	if err != nil {
		panic(err) // NewCopies saw that it has metadata
	}
	m.SetName(fmt.Sprintf("%s%06d", c.base, i))
	m.SetUID(types.UID(NewRandom(c.seed, uint64(i)<<2).UUID()))
	m.SetResourceVersion("")
	return obj
}
