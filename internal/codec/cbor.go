package codec

import (
	"sync"

	"vedette.dev/internal/wire/cborread"
	"vedette.dev/internal/wire/cborscan"
	"vedette.dev/internal/wire/wirefilter"
	"vedette.dev/rest"
)

// cborFormat is the format of CBOR.
type cborFormat struct {
	codec *Codec
	maps  *cborread.Shares // of what is unstructured; nil if objects are packed
	// sorters has a *cborscan.Sorter for each object that is being packed.
	sorters sync.Pool
}

func newCBORFormat(c *Codec, parts bool) *cborFormat {
	f := &cborFormat{codec: c}
	if c.packing == nil && c.unstructured {
		f.maps = cborread.NewShares(cborread.Sharing{Parts: parts, Mutable: c.mutable()})
	}
	return f
}

func (f *cborFormat) filter(by *wirefilter.Filter, dst, src []byte) ([]byte, error) {
	return by.CBOR(dst, src)
}

func (f *cborFormat) next(raw *rest.Raw, last any) (any, error) {
	if f.maps != nil {
		return f.nextUnstructured(raw, last)
	}
	return f.codec.plain(raw)
}

func (f *cborFormat) nextUnstructured(raw *rest.Raw, last any) (any, error) {
	content, err := cborread.DecodeNext(raw.Bytes, f.maps, contentOf(last))
	if err != nil || content == nil {
		return f.codec.decode(raw) // whose error says more
	}
	return f.codec.unstructuredOf(raw, content), nil
}

func (f *cborFormat) decode(raw *rest.Raw) (any, error) { return f.codec.decode(raw) }

// atRest puts the keys in order, which a server writes in random order: otherwise similar objects would have different bytes,
// and could not be compressed against each other.
func (f *cborFormat) atRest(dst, data []byte) ([]byte, bool) {
	sorter, _ := f.sorters.Get().(*cborscan.Sorter)
	if sorter == nil {
		sorter = &cborscan.Sorter{}
	}
	defer f.sorters.Put(sorter)
	if out, ok := sorter.Canonical(dst, data); ok {
		return out, f.codec.unstructured // any object can be decoded
	}
	return append(dst, data...), false
}

func (f *cborFormat) holds(raw *rest.Raw, stored any) bool {
	if f.maps == nil {
		return false
	}
	next, err := f.nextUnstructured(raw, stored)
	return err == nil && sameMembers(next, stored)
}

func (f *cborFormat) forget() { f.maps.Forget() }
