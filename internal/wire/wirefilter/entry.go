package wirefilter

import (
	"fmt"

	"vedette.dev/internal/wire/protoscan"
)

// An entry of a map is a message with the key in field 1 and the value in field 2. Decoders do not look at the wire types of
// the two, take the last of several, and take what is missing for empty.

// The fields of an entry.
const (
	entryKey   = 1
	entryValue = 2
)

// errEntry says that an entry is not a message.
var errEntry = fmt.Errorf("%w: an entry of a map that is wrong or cut short", protoscan.ErrMalformed)

// entry decides what is done with an entry. An entry whose key or value ends after it is refused here even if it would stay whole.
// Decoders are not that careful: they read on in what follows, and that is no longer the same when fields have gone.
func (f *wireField) entry(b []byte) (s step, ok bool) {
	key, ok := usualKey(b)
	for i := 0; !ok && i < len(b); {
		number, body, end := entryField(b, i)
		if end < 0 {
			return step{}, false
		}
		if number == entryKey {
			key = b[body:end]
		}
		i = end
	}
	if f.do == whole {
		return step{do: whole}, true
	}
	return f.into.member(key), true
}

// usualKey is the key of an entry that is as encoders write it: the key, then the value, and nothing behind them.
func usualKey(b []byte) (key []byte, ok bool) {
	if len(b) < 2 || b[0] != entryKey<<3|typeBytes || b[1] >= 0x80 {
		return nil, false
	}
	end := 2 + int(b[1])
	if end >= len(b) || b[end] != entryValue<<3|typeBytes {
		return nil, false
	}
	n, at := uvarint(b, end+1)
	if at < 0 || n != uint64(len(b)-at) {
		return nil, false
	}
	return b[2:end], true
}

// entryField finds the field at i.
func entryField(b []byte, i int) (number int32, body, end int) {
	tag, at := uvarint(b, i)
	if at < 0 {
		return 0, 0, -1
	}
	number = int32(tag >> 3)
	if number == entryKey || number == entryValue {
		body, end = known(b, at, typeBytes)
		return number, body, end
	}
	return number, i, skip(b, i)
}

// entryInside appends an entry with the value filtered by n. Entries come here after they were looked at.
func (n *node) entryInside(dst, src []byte) (_ []byte, err error) {
	for i := 0; i < len(src); {
		number, body, end := entryField(src, i)
		if number != entryValue {
			dst = append(dst, src[i:end]...)
		} else {
			dst = append(dst, src[i:lengthAt(src, i)]...)
			if dst, err = n.inside(dst, src[body:end], false); err != nil {
				return dst, err
			}
		}
		i = end
	}
	return dst, nil
}
