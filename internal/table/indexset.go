package table

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// IndexFunc returns the values of an object in an index. It is called without a lock, and possibly by several goroutines
// at once.
type IndexFunc func(obj any) ([]string, error)

// Call calls f and returns a panic as an error.
func (f IndexFunc) Call(obj any) (values []string, err error) {
	defer func() {
		if r := recover(); r != nil {
			values, err = nil, fmt.Errorf("index function panicked: %v", r)
		}
	}()
	return f(obj)
}

// Index is the definition of an index.
type Index struct {
	Name string
	Func IndexFunc
	// Undecoded says that Func is called with the object as it is stored. Otherwise it is called with what Config.Decode
	// returns.
	Undecoded bool
}

// IndexSet is the indexes of a table, in the order in which they were added. It is immutable: AddIndexes replaces it by a
// longer one. So a writer can compute values before it takes the lock, and see under the lock whether they are complete.
type IndexSet struct {
	indexes []Index
	numbers map[string]int // positions in indexes
	// owned says that index number 0 has the owners of keys, which are not computed.
	owned  bool
	decode func(stored any) (any, error)
	fail   func(key, index string, err error) error
}

// with returns the set with more indexes, or an error if one of their names is taken.
func (s *IndexSet) with(more []Index) (*IndexSet, error) {
	next := *s
	next.indexes = slices.Concat(s.indexes, more)
	next.numbers = make(map[string]int, len(next.indexes))
	var taken []string
	for number, x := range next.indexes {
		if _, ok := next.numbers[x.Name]; ok {
			taken = append(taken, x.Name)
		}
		next.numbers[x.Name] = number
	}
	if len(taken) > 0 {
		return nil, fmt.Errorf("indexer conflict: %v", taken)
	}
	return &next, nil
}

// Len returns the number of indexes.
func (s *IndexSet) Len() int { return len(s.indexes) }

// All returns an iterator over the indexes.
func (s *IndexSet) All() iter.Seq[Index] { return slices.Values(s.indexes) }

// compute calls the function of one index with an object that is decoded already.
func (s *IndexSet) compute(name string, obj any) ([]string, error) {
	number, ok := s.numbers[name]
	if !ok {
		return nil, errNoIndex(name)
	}
	return s.indexes[number].Func.Call(obj)
}

// AppendValues appends one element to values for each index: the values of a stored object in it, sorted and without
// duplicates. The element is nil for an OwnerIndex, for a nil object, and where the function fails. The error contains all
// failures.
func (s *IndexSet) AppendValues(values [][]string, key string, obj any) ([][]string, error) {
	return s.appendValues(values, key, obj, 0)
}

// appendValues is AppendValues for the indexes from number from on.
func (s *IndexSet) appendValues(values [][]string, key string, obj any, from int) ([][]string, error) {
	var failed []error
	in := indexed{stored: obj}
	for number := from; number < len(s.indexes); number++ {
		var list []string
		if obj != nil && !(number == 0 && s.owned) {
			var err error
			if list, err = s.call(number, &in); err != nil {
				list, failed = nil, append(failed, s.failure(key, number, err))
			}
		}
		values = append(values, sorted(list))
	}
	switch len(failed) {
	case 0:
		return values, nil
	case 1:
		return values, failed[0]
	default:
		return values, errors.Join(failed...)
	}
}

// indexed is an object on its way to several index functions. It is decoded at most once.
type indexed struct {
	stored    any
	decoded   any
	isDecoded bool
}

func (s *IndexSet) call(number int, in *indexed) ([]string, error) {
	x := &s.indexes[number]
	if x.Undecoded || s.decode == nil {
		return x.Func.Call(in.stored)
	}
	if !in.isDecoded {
		obj, err := s.decode(in.stored)
		if err != nil {
			return nil, err
		}
		in.decoded, in.isDecoded = obj, true
	}
	return x.Func.Call(in.decoded)
}

func (s *IndexSet) failure(key string, number int, err error) error {
	name := s.indexes[number].Name
	if s.fail != nil {
		return s.fail(key, name, err)
	}
	return fmt.Errorf("index %q of key %q: %w", name, key, err)
}

// sorted returns values sorted and without duplicates. It does not change the slice of the index function.
func sorted(values []string) []string {
	for i := 1; i < len(values); i++ {
		if values[i-1] >= values[i] {
			values = slices.Clone(values)
			slices.Sort(values)
			return slices.Compact(values)
		}
	}
	return values
}

func errNoIndex(name string) error {
	return fmt.Errorf("Index with name %s does not exist", name)
}
