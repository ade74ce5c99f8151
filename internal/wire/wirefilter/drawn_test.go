package wirefilter

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// Objects are drawn here as bytes, in all the ways in which decoders accept them: fields in any order, twice, in pieces, unknown
// ones between them, tags and names written in more bytes than they need. Seldom something is wrong.

func TestDrawnMessages(t *testing.T) {
	const rounds = 600
	decoded := 0
	for seed := range int64(rounds) {
		d := &drawer{r: rand.New(rand.NewSource(seed))}
		example := fuzzed[d.r.Intn(len(fuzzed))]
		data := d.message(reflect.TypeOf(example).Elem(), 0)
		checkAnyProtobuf(t, drawFilter(t, example, d.r.Intn(2) == 0, seed), example, data)
		if t.Failed() {
			t.Fatalf("seed %d: %x", seed, data)
		}
		if another(example).(message).Unmarshal(data) == nil {
			decoded++
		}
	}
	if decoded < rounds/2 {
		t.Errorf("only %d of %d messages could be decoded", decoded, rounds)
	}
}

func TestDrawnTexts(t *testing.T) {
	const rounds = 600
	decoded := 0
	for seed := range int64(rounds) {
		d := &drawer{r: rand.New(rand.NewSource(seed))}
		example := fuzzed[d.r.Intn(len(fuzzed))]
		d.object(reflect.TypeOf(example).Elem(), 0)
		data := []byte(d.text.String())
		checkAnyJSON(t, drawFilter(t, example, d.r.Intn(2) == 0, seed), example, data)
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, data)
		}
		if json.Unmarshal(data, another(example)) == nil {
			decoded++
		}
	}
	if decoded < rounds/2 {
		t.Errorf("only %d of %d texts could be decoded", decoded, rounds)
	}
}

type drawer struct {
	r    *rand.Rand
	text strings.Builder
}

func (d *drawer) one(in int) bool { return d.r.Intn(in) == 0 }

// varint has up to three bytes too many.
func (d *drawer) varint(v uint64) []byte {
	b := binary.AppendUvarint(nil, v)
	for d.one(12) && len(b) < 10 {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

func (d *drawer) chunk(number int, body []byte) []byte {
	n := len(body)
	if d.one(3000) {
		n += d.r.Intn(5) - 2
	}
	b := append(d.varint(uint64(number)<<3|typeBytes), d.varint(uint64(max(n, 0)))...)
	return append(b, body...)
}

func (d *drawer) message(t reflect.Type, depth int) (out []byte) {
	for range d.r.Intn(8) {
		if d.one(10) {
			out = append(out, d.unknown(1000+d.r.Intn(20))...)
			continue
		}
		if t.NumField() == 0 {
			continue
		}
		sf := t.Field(d.r.Intn(t.NumField()))
		if parts := strings.Split(sf.Tag.Get("protobuf"), ","); len(parts) > 1 {
			number, _ := strconv.Atoi(parts[1])
			out = append(out, d.wireField(number, sf.Type, depth)...)
		}
	}
	return out
}

func (d *drawer) unknown(number int) []byte {
	tag := uint64(number) << 3
	switch d.r.Intn(5) {
	case 0:
		return append(d.varint(tag), d.varint(d.r.Uint64())...)
	case 1:
		return append(d.varint(tag|typeFixed64), make([]byte, 8)...)
	case 2:
		return append(d.varint(tag|typeFixed32), make([]byte, 4)...)
	case 3:
		return d.chunk(number, []byte("unknown"))
	}
	b := d.varint(tag | typeGroup)
	for d.one(2) {
		b = append(b, d.unknown(d.r.Intn(9)+1)...)
	}
	return append(b, d.varint(tag|typeEnd)...)
}

func (d *drawer) wireField(number int, t reflect.Type, depth int) []byte {
	if d.one(2000) {
		return d.unknown(number)
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	types, entries := wireTypes(t)
	switch {
	case depth > 7:
		return nil
	case entries:
		return d.chunk(number, d.entry(t.Elem(), depth))
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return d.chunk(number, nil)
	case t.Kind() == reflect.Struct:
		return d.chunk(number, d.message(t, depth+1))
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		var out []byte
		for range d.r.Intn(3) + 1 {
			out = append(out, d.chunk(number, d.message(t.Elem(), depth+1))...)
		}
		return out
	case types&(1<<typeVarint) != 0 && (types == 1<<typeVarint || d.one(2)):
		return append(d.varint(uint64(number)<<3), d.varint(uint64(d.r.Intn(300)))...)
	case types&(1<<typeVarint) != 0:
		return d.chunk(number, append(d.varint(5), d.varint(6)...))
	case reflect.PointerTo(t).Implements(wireReader):
		return d.chunk(number, d.chunk(1, []byte("item")))
	}
	return d.chunk(number, []byte([]string{"", "a", "text"}[d.r.Intn(3)]))
}

func (d *drawer) entry(value reflect.Type, depth int) (out []byte) {
	for range d.r.Intn(4) {
		switch d.r.Intn(5) {
		case 0, 1:
			b := d.chunk(entryKey, []byte([]string{"a", "b", "key", "other"}[d.r.Intn(4)]))
			if d.one(20) {
				b[0] ^= byte(d.r.Intn(8)) // no decoder looks at the wire type
			}
			out = append(out, b...)
		case 2, 3:
			out = append(out, d.wireField(entryValue, value, depth)...)
		case 4:
			out = append(out, d.unknown(3+d.r.Intn(3))...)
		}
	}
	return out
}

func (d *drawer) space() {
	for d.one(6) {
		d.text.WriteByte(" \n\t\r"[d.r.Intn(4)])
	}
}

// write writes a token, with space around it.
func (d *drawer) write(token string) {
	d.space()
	if !d.one(4000) {
		d.text.WriteString(token)
	}
	d.space()
}

// name writes a string, perhaps with escapes.
func (d *drawer) name(s string) {
	if !d.one(8) {
		b, _ := json.Marshal(s)
		d.write(string(b))
		return
	}
	var b strings.Builder
	for _, c := range s {
		if c < utf8.RuneSelf && (c == '"' || c == '\\' || d.one(3)) {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	d.write(`"` + b.String() + `"`)
}

func (d *drawer) object(t reflect.Type, depth int) {
	members := membersOf(t)
	names := slices.Sorted(maps.Keys(members))
	d.members(d.r.Intn(8), func() {
		if d.one(10) || len(names) == 0 {
			d.name([]string{"unknown", "", "NAME", "a.b"}[d.r.Intn(4)])
			d.write(":")
			d.write([]string{"1", `"]}"`, `{"a":[{}]}`, "null", "[[],{}]"}[d.r.Intn(5)])
			return
		}
		name := names[d.r.Intn(len(names))]
		d.name(name)
		d.write(":")
		d.value(members[name], depth+1)
	})
}

func (d *drawer) members(n int, member func()) {
	d.write("{")
	for i := range n {
		if i > 0 {
			d.write(",")
		}
		member()
	}
	d.write("}")
}

func (d *drawer) value(t reflect.Type, depth int) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case d.one(12) || depth > 7 || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
		d.write("null")
	case d.one(3000):
		d.write([]string{"5", "[]", "{}", `"a"`}[d.r.Intn(4)])
	case t.Kind() == reflect.Struct:
		d.object(t, depth)
	case t.Kind() == reflect.Map:
		d.members(d.r.Intn(4), func() {
			d.name([]string{"a", "b", "key", "other"}[d.r.Intn(4)])
			d.write(":")
			d.value(t.Elem(), depth+1)
		})
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		d.write(`"YWJj"`)
	case t.Kind() == reflect.Slice:
		d.write("[")
		for i := range d.r.Intn(4) {
			if i > 0 {
				d.write(",")
			}
			d.value(t.Elem(), depth+1)
		}
		d.write("]")
	case t.Kind() == reflect.String:
		d.name([]string{"", "text", "\"\\\n", "{[,:"}[d.r.Intn(4)])
	case t.Kind() == reflect.Bool:
		d.write("true")
	default:
		d.write(strconv.Itoa(d.r.Intn(100)))
	}
}
