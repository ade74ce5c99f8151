package pack

// luck says which objects without a family become references.
//
// Among objects that are alike it is the same wager as [wear], but without patience: the next object may be of
// another family that has no reference yet. Among objects that are not alike references are of no use, and to make
// each object one would take time and memory: then only one in luckPrice becomes one.
type luck struct {
	excess int // as in wear, since the last reference
	credit int
}

const (
	maxLuck   = 64 * luckPrice
	luckPrice = 8

	// strangerPart is how much of its length, in percent, an object may take that is like its reference.
	strangerPart = 45
)

// keeps says whether an object that became this small stays that way, or is to become a reference.
func (l *luck) keeps(length, size int) bool {
	if size > length*strangerPart/100 {
		l.credit++
		if l.credit < luckPrice {
			return true
		}
		l.credit -= luckPrice
		return false
	}
	l.credit = min(l.credit+luckPrice, maxLuck)
	l.excess += excess(length, size)
	if l.excess <= length/2 {
		return true
	}
	l.excess = 0
	return false
}
