package protoread

import (
	"hash/maphash"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"

	"vedette.dev/internal/wire/intern"
)

// known are the quantities that came last, of all kinds: most are a few that come again and again. They are numbers without a pointer,
// so a copy shares nothing.
var (
	known     = intern.Cache[knownQuantity]{MaxSets: 1 << 10}
	knownSeed = maphash.MakeSeed()
)

type knownQuantity struct {
	message string
	value   resource.Quantity
}

// largeNumber is where a quantity has its pointer to a number that is too large for 64 bits.
var largeNumber, hasLargeNumber = quantityType.FieldByName("d")

// isNumber reports whether a quantity has no pointer to a number, so that nothing that is done to a copy is done to it.
func isNumber(q *resource.Quantity) bool {
	return hasLargeNumber && *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(q), largeNumber.Offset)) == nil
}

// readQuantity reads the message of a quantity that is digits and a suffix, and fits into 64 bits. It returns false for any other.
func readQuantity(b []byte) (resource.Quantity, bool) {
	if !checkQuantity(b) {
		return resource.Quantity{}, false
	}
	slots := known.At(maphash.Bytes(knownSeed, b))
	for i := range slots {
		if k := slots[i].Load(); k != nil && k.message == string(b) {
			return k.value, true
		}
	}
	k := &knownQuantity{message: string(b)}
	if k.value.Unmarshal(b) != nil || !isNumber(&k.value) {
		return resource.Quantity{}, false
	}
	known.Put(slots, k)
	return k.value, true
}
