package protoread

import (
	"reflect"
	"unsafe"
	"weak"
)

// Trace is what is remembered of an object that was decoded, so that its next state takes less: a pod that has become ready
// has the spec that it had before. It does not hold the object. The zero value says that nothing is known. A trace belongs to the
// plan and the shares that it was made with.
type Trace struct {
	obj   weak.Pointer[byte] // the first of the object
	parts [mostTraced]hashes // zero if the part did not come
}

// mostTraced is how many parts of an object there are in a trace. Most kinds have two: what is wanted and what is.
const mostTraced = 2

// trace chooses the fields whose bytes are compared with those of the state before: all but the metadata, which has
// changed if anything has, and what is read in no time.
func (m *message) trace() {
	n := 0
	for _, f := range m.fields {
		if f == nil || f.drop || f.json == "metadata" || f.shape < shapeStrings || n == mostTraced {
			continue
		}
		n++
		f.traced = n
	}
}

// Alive tells whether the object is still there, which it is at least for as long as anybody has it.
func (t Trace) Alive() bool { return t.obj.Value() != nil }

// DecodeNext is Decode for an object of which an earlier state was decoded, and remembers this one for the next. Parts that have not
// changed are those of the earlier state, so that nobody may change them. If shares do not allow that, it is Decode.
func (p *Plan) DecodeNext(data []byte, shares *Shares, t *Trace) (any, error) {
	if shares == nil || !shares.Trees {
		return p.Decode(data, shares)
	}
	d := decoder{shares: shares, judging: shares.judging(), tracing: true}
	if obj := t.obj.Value(); obj != nil {
		d.last, d.lastParts = unsafe.Pointer(obj), t.parts
	}
	value, err := d.decode(p, data)
	*t = Trace{}
	if d.decoded != nil {
		*t = Trace{obj: weak.Make((*byte)(d.decoded)), parts: d.parts}
	}
	return value, err
}

// tracedField is field for one that may be as it was.
func (d *decoder) tracedField(f *field, at unsafe.Pointer, data, whole []byte, n int) error {
	part := f.traced - 1
	if d.parts[part] != (hashes{}) {
		return errUnusual // it comes in pieces
	}
	h := d.shares.hash(f, whole)
	d.parts[part] = h
	if d.lastParts[part] == h {
		reflect.NewAt(f.typ, at).Elem().Set(reflect.NewAt(f.typ, f.at(d.last)).Elem())
		return nil
	}
	// Its strings stand apart: they may stay for longer than those of the rest.
	before := d.text
	d.text = text{most: len(whole)}
	err := d.field(f, at, data, whole, n)
	d.text = before
	return err
}
