package wirefilter

import (
	"fmt"

	"vedette.dev/internal/wire/jsonscan"
)

// maxDepth is how deep lists may be in lists; decoders draw the line there as well.
const maxDepth = 10000

// jsonFilter goes through a text. It only looks closely at objects on the way of a path.
//
// Invariant: what has been appended is not longer than what has been read, so dst may be the beginning of src.
type jsonFilter struct {
	dst, src []byte
	depth    int
}

// document filters the whole text.
func (w *jsonFilter) document(n *node) error {
	i := w.space(0)
	if i == len(w.src) || w.src[i] != '{' && w.src[i] != 'n' {
		return w.malformed("an object expected", i)
	}
	i, err := w.value(i, n)
	if err != nil {
		return err
	}
	if i = w.space(i); i < len(w.src) {
		return w.malformed("something follows the object", i)
	}
	return nil
}

// value filters the value at i and returns where it ends. What is neither object nor list has no fields that could go: it stays
// as it is, and if it should not be there the decoder will say so.
func (w *jsonFilter) value(i int, n *node) (end int, err error) {
	switch w.at(i) {
	case '{':
		return w.object(i, n)
	case '[':
		return w.list(i, n)
	}
	if end = w.skip(i); end < 0 {
		return 0, w.malformed("a value expected", i)
	}
	w.dst = append(w.dst, w.src[i:end]...)
	return end, nil
}

// object filters an object. Members that stand side by side and stay are copied at once, with what is between them.
func (w *jsonFilter) object(i int, n *node) (end int, err error) {
	begin, last := -1, 0 // what stays and was not yet copied
	first := true
	w.dst = append(w.dst, '{')
	if i = w.space(i + 1); w.at(i) == '}' {
		w.dst = append(w.dst, '}')
		return i + 1, nil
	}
	for {
		start := i
		s, at, err := w.name(i, n)
		if err != nil {
			return 0, err
		}
		if s.do == enter {
			if begin >= 0 {
				w.copy(begin, last, &first)
				begin = -1
			}
			w.copy(start, at, &first)
			if i, err = w.value(at, s.into); err != nil {
				return 0, err
			}
		} else {
			if i = w.skip(at); i < 0 {
				return 0, w.malformed("a value expected", at)
			}
			switch {
			case s.do == whole && begin < 0:
				begin, last = start, i
			case s.do == whole:
				last = i
			case begin >= 0:
				w.copy(begin, last, &first)
				begin = -1
			}
		}
		i = w.space(i)
		switch w.at(i) {
		case ',':
			i = w.space(i + 1)
		case '}':
			if begin >= 0 {
				w.copy(begin, last, &first)
			}
			w.dst = append(w.dst, '}')
			return i + 1, nil
		default:
			return 0, w.malformed("',' or '}' expected", i)
		}
	}
}

// copy appends members, or the name of one.
func (w *jsonFilter) copy(begin, end int, first *bool) {
	if !*first {
		w.dst = append(w.dst, ',')
	}
	*first = false
	w.dst = append(w.dst, w.src[begin:end]...)
}

// name reads the name of a member and returns where its value begins.
func (w *jsonFilter) name(i int, n *node) (s step, value int, err error) {
	if w.at(i) != '"' {
		return step{}, 0, w.malformed("a name expected", i)
	}
	end, plain := jsonscan.SkipString(w.src[i:])
	if end < 0 {
		return step{}, 0, w.malformed("a name that does not end", i)
	}
	if plain {
		s = n.member(w.src[i+1 : i+end-1])
	} else {
		text, err := jsonscan.Text(w.src[i : i+end])
		if err != nil {
			return step{}, 0, err
		}
		s = n.member([]byte(text))
	}
	if i = w.space(i + end); w.at(i) != ':' {
		return step{}, 0, w.malformed("':' expected", i)
	}
	return s, w.space(i + 1), nil
}

// list filters each element. All stay, so that the others keep their places.
func (w *jsonFilter) list(i int, n *node) (end int, err error) {
	if w.depth++; w.depth > maxDepth {
		return 0, w.malformed("lists within lists, too deep,", i)
	}
	w.dst = append(w.dst, '[')
	if i = w.space(i + 1); w.at(i) == ']' {
		w.dst = append(w.dst, ']')
		w.depth--
		return i + 1, nil
	}
	for {
		if i, err = w.value(i, n); err != nil {
			return 0, err
		}
		i = w.space(i)
		c := w.at(i)
		if c != ',' && c != ']' {
			return 0, w.malformed("',' or ']' expected", i)
		}
		w.dst = append(w.dst, c)
		if c == ']' {
			w.depth--
			return i + 1, nil
		}
		i = w.space(i + 1)
	}
}

// at is the byte at i, or 0 behind the end.
func (w *jsonFilter) at(i int) byte {
	if i < len(w.src) {
		return w.src[i]
	}
	return 0
}

func (w *jsonFilter) space(i int) int {
	for i < len(w.src) && (w.src[i] == ' ' || w.src[i] == '\n' || w.src[i] == '\r' || w.src[i] == '\t') {
		i++
	}
	return i
}

// skip is where the value at i ends, or -1.
func (w *jsonFilter) skip(i int) int {
	n := jsonscan.Skip(w.src[i:])
	if n < 0 {
		return -1
	}
	return i + n
}

func (w *jsonFilter) malformed(what string, at int) error {
	return fmt.Errorf("%w: %s at byte %d", jsonscan.ErrMalformed, what, at)
}
