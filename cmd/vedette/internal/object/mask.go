package object

import (
	"fmt"
	"hash/maphash"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Masker takes the values out of Secrets. Two values that are the same have the same mark, as long as the Masker lives; nobody
// else can tell from a mark what the value was.
type Masker struct {
	seed maphash.Seed
}

// NewMasker returns a Masker whose marks are its own.
func NewMasker() Masker { return Masker{seed: maphash.MakeSeed()} }

// Mask takes the values out of an object if it is a Secret: those of its data, and those of its annotations, since kubectl
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

// mark tells two values apart, and nothing else: it is made of a hash whose seed is gone with the program.
func (m Masker) mark(value string) string {
	return fmt.Sprintf("<masked, %d characters, %04x>", len(value), maphash.String(m.seed, value)&0xffff)
}
