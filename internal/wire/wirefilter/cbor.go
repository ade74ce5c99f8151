package wirefilter

import (
	"fmt"

	"vedette.dev/internal/wire/cborscan"
)

// cborFilter goes through an object in CBOR, as jsonFilter does through a text.
//
// Invariant: what has been appended is not longer than what has been read, so dst may be the beginning of src.
type cborFilter struct {
	dst, src []byte
	depth    int
}

// document filters the whole object.
func (w *cborFilter) document(n *node) error {
	if !cborscan.IsMap(w.src) && !cborscan.IsNull(w.src) {
		return w.malformed("a map expected", 0)
	}
	end, err := w.value(0, n)
	if err == nil && end < len(w.src) {
		err = w.malformed("something follows the object", end)
	}
	return err
}

// value filters the item at i and returns where it ends. What is neither map nor array stays as it is.
func (w *cborFilter) value(i int, n *node) (end int, err error) {
	begin := len(w.src) - len(cborscan.Bare(w.src[i:]))
	c, ok, err := cborscan.Open(w.src[begin:])
	switch {
	case err != nil:
		return 0, w.at(err, begin)
	case !ok:
		if end, err = w.skip(i); err == nil {
			w.copy(i, end)
		}
		return end, err
	}
	w.copy(i, begin)
	if c.Map {
		return w.entries(begin, c, n)
	}
	return w.elements(begin, c, n)
}

// entries filters a map. Its number of entries comes first, so these are looked at twice.
func (w *cborFilter) entries(begin int, c cborscan.Container, n *node) (end int, err error) {
	first := begin + c.Size
	if c.Endless {
		w.copy(begin, first)
	} else {
		kept, i := uint64(0), first
		for range c.Count {
			s, at, err := w.key(i, n)
			if err != nil {
				return 0, err
			}
			if i, err = w.skip(at); err != nil {
				return 0, err
			}
			if s.do != omit {
				kept++
			}
		}
		if kept == c.Count {
			w.copy(begin, first)
		} else {
			w.dst = cborscan.AppendMap(w.dst, kept)
		}
	}
	i := first
	for k := uint64(0); c.Endless || k < c.Count; k++ {
		if c.Endless && i < len(w.src) && w.src[i] == cborscan.Break {
			w.copy(i, i+1)
			return i + 1, nil
		}
		s, at, err := w.key(i, n)
		if err != nil {
			return 0, err
		}
		if s.do == enter {
			w.copy(i, at)
			if i, err = w.value(at, s.into); err != nil {
				return 0, err
			}
			continue
		}
		end, err := w.skip(at)
		if err != nil {
			return 0, err
		}
		if s.do == whole {
			w.copy(i, end)
		}
		i = end
	}
	return i, nil
}

// key reads a key and returns where its value begins.
func (w *cborFilter) key(i int, n *node) (s step, value int, err error) {
	if value, err = w.skip(i); err != nil {
		return step{}, 0, err
	}
	name, err := cborscan.Text(w.src[i:value])
	if err != nil {
		return step{}, 0, w.at(err, i)
	}
	return n.member(name), value, nil
}

// elements filters each element. All stay, so that the others keep their places.
func (w *cborFilter) elements(begin int, c cborscan.Container, n *node) (end int, err error) {
	if w.depth++; w.depth > maxDepth {
		return 0, w.malformed("arrays within arrays, too deep,", begin)
	}
	i := begin + c.Size
	w.copy(begin, i)
	for k := uint64(0); c.Endless || k < c.Count; k++ {
		if c.Endless && i < len(w.src) && w.src[i] == cborscan.Break {
			w.copy(i, i+1)
			i++
			break
		}
		if i, err = w.value(i, n); err != nil {
			return 0, err
		}
	}
	w.depth--
	return i, nil
}

func (w *cborFilter) copy(begin, end int) { w.dst = append(w.dst, w.src[begin:end]...) }

// skip returns where the item at i ends.
func (w *cborFilter) skip(i int) (int, error) {
	n, err := cborscan.Skip(w.src[i:])
	if err != nil {
		return 0, w.at(err, i)
	}
	return i + n, nil
}

func (w *cborFilter) at(err error, i int) error { return fmt.Errorf("%w at byte %d", err, i) }

func (w *cborFilter) malformed(what string, i int) error {
	return fmt.Errorf("%w: %s at byte %d", cborscan.ErrMalformed, what, i)
}
