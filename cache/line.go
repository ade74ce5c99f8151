package cache

// line is a first-in, first-out queue in one slice, which can be looked through and taken as a whole. The zero value is
// empty.
type line[E any] struct {
	elems []E
	head  int // the elements before were taken out, and are zero
}

// keepRoom is the number of elements for which an empty line keeps its memory.
const keepRoom = 1024

func (l *line[E]) len() int { return len(l.elems) - l.head }

// all are the elements in the line. The slice is good until the line changes.
func (l *line[E]) all() []E { return l.elems[l.head:] }

func (l *line[E]) push(e E) {
	if len(l.elems) == cap(l.elems) && l.head > len(l.elems)/2 {
		n := copy(l.elems, l.elems[l.head:])
		clear(l.elems[n:])
		l.elems, l.head = l.elems[:n], 0
	}
	l.elems = append(l.elems, e)
}

// pop takes out the first element, which there is.
func (l *line[E]) pop() E {
	e := l.elems[l.head]
	l.drop(1)
	return e
}

// drop takes out the first n elements and forgets them.
func (l *line[E]) drop(n int) {
	clear(l.elems[l.head : l.head+n])
	l.head += n
	if l.head == len(l.elems) {
		l.head = 0
		if cap(l.elems) > keepRoom {
			l.elems = nil
		}
		l.elems = l.elems[:0]
	}
}

// take hands over all elements, and their memory.
func (l *line[E]) take() []E { return l.swap(nil) }

// swap is take, and lets the line use other memory from then on.
func (l *line[E]) swap(memory []E) []E {
	all := l.all()
	*l = line[E]{elems: memory}
	return all
}
