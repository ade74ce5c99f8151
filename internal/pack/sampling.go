package pack

// sampling decides which objects without a group become bases.
//
// Objects that are like their base are judged as by [aging], but without a budget that grows: the next object may be of a group that has no
// base yet. Among objects that are not alike, bases are of no use, and to make each object a base would take time and memory: then one in
// sampleInterval becomes one.
type sampling struct {
	excess int // as in aging, since the last base
	credit int // the next base among dissimilar objects costs sampleInterval of it; an object that is like its base earns as much
}

const (
	maxCredit      = 64 * sampleInterval
	sampleInterval = 8

	// dissimilarPercent is the largest part of its length that an object takes that is like its base.
	dissimilarPercent = 45
)

// keeps reports whether an object of this length stays as it was packed, in size bytes. If not, it is to become a base.
func (s *sampling) keeps(length, size int) bool {
	if size > length*dissimilarPercent/100 {
		s.credit++
		if s.credit < sampleInterval {
			return true
		}
		s.credit -= sampleInterval
		return false
	}
	s.credit = min(s.credit+sampleInterval, maxCredit)
	s.excess += excess(length, size)
	if s.excess <= length/2 {
		return true
	}
	s.excess = 0
	return false
}
