package codec

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/internal/wire/intern"
	"vedette.dev/rest"
)

// labelText is the labels of a packed object, for selectors: the length of a name, the name, the length of its value, and the value, one
// label behind the other. If a name comes twice, the last one counts. Objects with equal labels have the same text, if they arrive one
// soon after the other. Nil means none.
type labelText string

var _ labels.Labels = (*labelText)(nil)

// Lookup returns the value of a label, and reports whether there is such a label.
func (t *labelText) Lookup(label string) (value string, exists bool) {
	if t == nil {
		return "", false
	}
	for rest := string(*t); rest != ""; {
		var name, v string
		name, rest = cutText(rest)
		v, rest = cutText(rest)
		if name == label {
			value, exists = v, true
		}
	}
	return value, exists
}

// Has reports whether there is such a label.
func (t *labelText) Has(label string) bool {
	_, exists := t.Lookup(label)
	return exists
}

// Get returns the value of a label, or "".
func (t *labelText) Get(label string) string {
	value, _ := t.Lookup(label)
	return value
}

// cutText returns the first text of some with their lengths before them, and the others.
func cutText(texts string) (first, others string) {
	length, shift := 0, 0
	for i := 0; ; i++ {
		b := texts[i]
		length |= int(b&0x7f) << shift
		if b < 0x80 {
			return texts[i+1 : i+1+length], texts[i+1+length:]
		}
		shift += 7
	}
}

func appendText[T string | []byte](dst []byte, text T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// labelTexts finds equal texts of labels.
type labelTexts struct {
	cache   intern.Cache[labelText]
	seed    maphash.Seed
	buffers sync.Pool // of *[]byte
}

// mostLabelSets is the number of sets of the cache, two texts each: as many as there are template groups in a very large cluster.
const mostLabelSets = 1 << 14

func newLabelTexts() *labelTexts {
	return &labelTexts{cache: intern.Cache[labelText]{MaxSets: mostLabelSets}, seed: maphash.MakeSeed()}
}

// of returns the labels of an object that is not decoded.
func (l *labelTexts) of(raw *rest.Raw) (*labelText, error) {
	return l.build(func(buffer []byte) ([]byte, error) {
		err := raw.EachLabel(func(name, value []byte) {
			buffer = appendText(appendText(buffer, name), value)
		})
		return buffer, err
	})
}

// ofMap returns the labels in a map.
func (l *labelTexts) ofMap(set map[string]string) *labelText {
	text, _ := l.build(func(buffer []byte) ([]byte, error) {
		names := make([]string, 0, len(set))
		for name := range set {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			buffer = appendText(appendText(buffer, name), set[name])
		}
		return buffer, nil
	})
	return text
}

// build returns the text that add appends to a buffer.
func (l *labelTexts) build(add func(buffer []byte) ([]byte, error)) (*labelText, error) {
	buffer, _ := l.buffers.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	defer l.buffers.Put(buffer)
	var err error
	if *buffer, err = add((*buffer)[:0]); err != nil || len(*buffer) == 0 {
		return nil, err
	}
	set := l.cache.At(maphash.Bytes(l.seed, *buffer))
	for i := range set {
		if t := set[i].Load(); t != nil && string(*t) == string(*buffer) {
			return t, nil
		}
	}
	t := labelText(*buffer)
	l.cache.Put(set, &t)
	return &t, nil
}
