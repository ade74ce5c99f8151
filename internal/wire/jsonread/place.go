package jsonread

import (
	"maps"
	"sync/atomic"

	"vedette.dev/internal/wire/intern"
)

// place is where a value stands in objects: the names on the way there. All elements of a list have the same place.
type place struct {
	name   string
	quoted string // the name as it is written
	// uniform says that everything below is at this place as well.
	uniform bool
	// managed says that it is the text of managed fields, or in there.
	managed bool
	level   level

	text, tree intern.HitRate

	// below are the places of the members by their names as they are written, and rest is that of all others, nil if
	// there is room.
	below atomic.Pointer[map[string]*place]
	rest  atomic.Pointer[place]
	// element is the place of the elements of a list.
	element atomic.Pointer[place]
	// first is the member that comes first in an object as a rule, and next what comes behind this one.
	first, next guess
}

const (
	mostPlaces = 1 << 12
	mostBelow  = 64
	// longestName is the longest that has a place.
	longestName = 128
	// managedFields are the fields of a manager. They are a tree of names with nothing in it, and need no places.
	managedFields = "fieldsV1"
)

// level is how far a place is on the way to the fields of a manager, metadata.managedFields[].fieldsV1.
type level uint8

const (
	elsewhereLevel level = iota
	rootLevel
	metadataLevel
	entriesLevel
	entryLevel
	managedLevel
)

// below is the level of a member.
func (l level) below(name string) level {
	switch {
	case l == rootLevel && name == "metadata":
		return metadataLevel
	case l == metadataLevel && name == "managedFields":
		return entriesLevel
	case l == entryLevel && name == managedFields:
		return managedLevel
	}
	return elsewhereLevel
}

// guess is where it is noted which member comes next as a rule. It is nil if the order is not known.
type guess = atomic.Pointer[place]

// begin is the guess at the beginning of an object.
func (p *place) begin() *guess {
	if p == nil || p.uniform {
		return nil
	}
	return &p.first
}

// name reads the name of a member of the object at p, which is nil if nothing is shared. It returns the place of the value, and
// the guess for the next member.
func (d *decoder) name(p *place, g *guess) (string, *place, *guess, bool) {
	if g != nil {
		if at := g.Load(); at != nil && hasPrefix(d.data[d.pos:], at.quoted) {
			d.pos += len(at.quoted)
			return at.name, at, &at.next, true
		}
	}
	begin := d.pos
	b, ok := d.plain()
	if !ok {
		return "", nil, nil, false
	}
	if p == nil {
		known := d.names.at(b)
		if *known != string(b) {
			*known = d.add(b, d.left())
		}
		return *known, nil, nil, true
	}
	raw := d.data[begin:d.pos]
	at := p.member(raw)
	if at == nil && d.sampled {
		at = d.shares.addMember(p, raw, b)
	}
	if at == nil {
		return d.shares.name(b), d.shares.elsewhere(p), nil, true
	}
	if d.sampled && g != nil {
		g.Store(at)
	}
	return at.name, at, &at.next, true
}

func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }

// member is the place of a member by its name as it is written, or nil.
func (p *place) member(raw []byte) *place {
	if below := p.below.Load(); below != nil {
		return (*below)[string(raw)]
	}
	return nil
}

// elsewhere is the place of a member of p that has none of its own.
func (s *Shares) elsewhere(p *place) *place {
	if p.uniform {
		return p
	}
	if rest := p.rest.Load(); rest != nil {
		return rest
	}
	return &s.other
}

// addMember makes a place for a member of p. It returns nil if there can be none, or if another added one at the same time.
func (s *Shares) addMember(p *place, raw, name []byte) *place {
	if p.uniform || len(raw) > longestName {
		return nil
	}
	old := p.below.Load()
	below := map[string]*place{}
	if old != nil {
		if len(*old) >= mostBelow {
			if p.rest.Load() == nil && s.room() {
				p.rest.CompareAndSwap(nil, &place{uniform: true})
			}
			return nil
		}
		below = maps.Clone(*old)
	}
	if !s.room() {
		return nil
	}
	at := &place{name: s.name(name), quoted: string(raw)}
	at.level = p.level.below(at.name)
	at.uniform = at.name == managedFields
	at.managed = at.level == managedLevel && !s.mutable
	below[at.quoted] = at
	if !p.below.CompareAndSwap(old, &below) {
		return nil
	}
	return at
}

// room reports whether there may be one more place.
func (s *Shares) room() bool {
	return s.places.Load() < mostPlaces && s.places.Add(1) <= mostPlaces
}

// element is the place of the elements of the list at p, which is nil if nothing is shared.
func (d *decoder) element(p *place) *place {
	if p == nil || p.uniform {
		return p
	}
	if at := p.element.Load(); at != nil {
		return at
	}
	if d.sampled && d.shares.room() {
		at := &place{}
		if p.level == entriesLevel {
			at.level = entryLevel
		}
		p.element.CompareAndSwap(nil, at)
		return p.element.Load()
	}
	return &d.shares.other
}
