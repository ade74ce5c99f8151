package object

import (
	"fmt"
	"hash/maphash"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Masker masks the values of Secrets. Equal values have the same mark, for the lifetime of the Masker; a mark does not
// reveal the value.
type Masker struct {
	seed maphash.Seed
}

// NewMasker returns a Masker with a random seed of its own.
func NewMasker() Masker { return Masker{seed: maphash.MakeSeed()} }

// Mask masks the values of an object if it is a Secret: its data, and also its annotations, since kubectl
// apply keeps a copy of the data in one. It changes the object.
func (m Masker) Mask(obj *unstructured.Unstructured) {
	if obj.GetKind() != "Secret" || obj.GetAPIVersion() != "v1" {
		return
	}
	for _, field := range []string{"data", "stringData"} {
		m.maskValues(obj.Object[field])
	}
	if annotations, ok, _ := unstructured.NestedFieldNoCopy(obj.Object, "metadata", "annotations"); ok {
		m.maskValues(annotations)
	}
}

func (m Masker) maskValues(values any) {
	fields := asMap(values)
	for name, value := range fields {
		text, ok := value.(string)
		if !ok {
			text = fmt.Sprint(value)
		}
		fields[name] = m.mark(text)
	}
}

// mark returns a mark that distinguishes values: a hash with a random seed.
func (m Masker) mark(value string) string {
	return fmt.Sprintf("<masked, %d characters, %04x>", len(value), maphash.String(m.seed, value)&0xffff)
}
