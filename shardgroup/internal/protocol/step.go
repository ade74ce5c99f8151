package protocol

import (
	"fmt"
	"maps"
	"slices"
)

// Status is what the coordinator knows of a member.
type Status uint8

// What a coordinator knows of a member.
const (
	// Gone members have no lease, since less than the lease duration: they may still work.
	Gone Status = iota
	// Live members have renewed their lease within the lease duration.
	Live
	// Silent members have not. They have to be fenced.
	Silent
	// Dead members are fenced, have left, or are gone for the lease duration: they do not work, and never will.
	Dead
)

// View is a member as the coordinator sees it.
type View struct {
	Report
	Status Status
}

// Observation is what the coordinator knows.
type Observation struct {
	Map *Map
	// Self is the coordinator.
	Self Member
	// Members has all members with a lease, and all that the map names.
	Members map[Member]View
	// Settled says that a map that is unproven was seen for the lease duration.
	Settled bool
	// Level says that shards may be moved for a better balance: the members have not changed lately. Unless Changed is set,
	// that is done only if a member has more than its share by Drift.
	Level bool
	// Changed says that the members have changed since shards were last moved for a better balance.
	Changed bool
	// Loads is the load of each shard, 0 where it is not known.
	Loads []float64
	// Late are shards whose target has not been ready in time. They are drained as they are if their owner leaves, and wait otherwise.
	Late map[int]bool
}

// Limits bounds what a step does.
type Limits struct {
	// Prepare says that targets fill their caches before the owner drains.
	Prepare bool
	// Coordinators is the number of members that watch the leases.
	Coordinators int
}

// Step returns the next map, or nil if it is as it should be, and the members that have to be fenced.
func Step(o *Observation, limits Limits) (next *Map, fence []Member) {
	s := &step{Observation: o, limits: limits, next: o.Map.Clone()}
	s.coordinators()
	if s.next.Unproven {
		s.raise()
		s.next.Unproven = !s.proven()
	}
	for i := range s.next.Shards {
		s.follow(i)
	}
	if !s.next.Unproven {
		s.assign()
	}
	if s.changed() {
		next = s.next
	}
	return next, s.fence()
}

type step struct {
	*Observation
	limits Limits
	next   *Map
}

// accepts reports whether a member may be given shards.
func (s *step) accepts(name Member) bool {
	v := s.Members[name]
	return v.Status == Live && v.State == Active && v.Map == s.Map.ID
}

// proven reports whether no member can own a shard by another map.
func (s *step) proven() bool {
	if !s.Settled {
		return false
	}
	for _, v := range s.Members {
		// What a member said that is silent by now may not be the last that it did.
		if v.Status != Dead && (v.Status != Live || v.Map != "" && v.Map != s.Map.ID) {
			return false
		}
	}
	return true
}

// Outdated returns an error if the map cannot be the newest: a member has seen a newer state of it, or a higher epoch, or follows another map,
// which only a map that is still unproven may replace. That is so if an earlier state, or an earlier map, was written back by hand.
func (o *Observation) Outdated() error {
	epoch := o.Map.MaxEpoch()
	for _, name := range slices.Sorted(maps.Keys(o.Members)) {
		switch v := o.Members[name]; {
		case v.Epoch > epoch && !o.Map.Unproven: // whatever has become of the member
			return fmt.Errorf("%w: it has epoch %d, and member %s has seen %d", ErrEdited, epoch, name, v.Epoch)
		case v.Status == Dead || v.Map == "" || v.Map == UnknownMap:
		case v.Map == o.Map.ID && v.Seq > o.Map.Seq:
			return fmt.Errorf("%w: member %s has seen change %d, and this is change %d", ErrEdited, name, v.Seq, o.Map.Seq)
		case o.Map.Unproven:
		case v.Map != o.Map.ID:
			return fmt.Errorf("%w: member %s follows another map", ErrEdited, name)
		}
	}
	return nil
}

// raise makes the epochs of a new map higher than all that a member remembers: the clock by which they were chosen may have been set
// back.
func (s *step) raise() {
	var epoch int64
	for _, v := range s.Members {
		epoch = max(epoch, v.Epoch)
	}
	for i := range s.next.Shards {
		s.next.Shards[i].Epoch = max(s.next.Shards[i].Epoch, epoch)
	}
}

// fence returns the members that are silent.
func (s *step) fence() []Member {
	var silent []Member
	for _, name := range slices.Sorted(maps.Keys(s.Members)) {
		if s.Members[name].Status == Silent {
			silent = append(silent, name)
		}
	}
	return silent
}

// coordinators replaces those who do not work by others who do. Self stays first. Members that leave come last: they
// are needed if all leave, so that the shards are released.
func (s *step) coordinators() {
	keep := []Member{s.Self}
	for _, state := range []State{Active, Leaving} {
		for _, name := range slices.Concat(s.Map.Coordinators, slices.Sorted(maps.Keys(s.Members))) {
			v := s.Members[name]
			if len(keep) < s.limits.Coordinators && v.Status == Live && v.State == state && !slices.Contains(keep, name) {
				keep = append(keep, name)
			}
		}
	}
	s.next.Coordinators = keep
}

// follow takes a shard as far as its owner and its target allow.
func (s *step) follow(i int) {
	sh := &s.next.Shards[i]
	if sh.Phase == Free {
		return
	}
	owner := s.Members[sh.Owner]
	if owner.Status == Dead || (sh.Phase == Draining && owner.Map == s.Map.ID && owner.Released[i] == sh.Epoch) {
		target := sh.Target
		*sh = Shard{Epoch: sh.Epoch}
		if owner.Released[i] == sh.Epoch {
			sh.Wrote = owner.Wrote[i]
		}
		if target != "" && s.accepts(target) && !s.next.Unproven {
			s.grant(i, target)
		}
		return
	}
	switch {
	case sh.Phase == Preparing && !s.accepts(sh.Target):
		sh.Phase, sh.Target = Owned, ""
	case sh.Phase == Preparing && (s.Members[sh.Target].Ready[i] == sh.Epoch || s.Late[i] && owner.State == Leaving):
		sh.Phase = Draining
	case sh.Phase == Draining && sh.Target != "" && !s.accepts(sh.Target):
		sh.Target = "" // the owner may have stopped already
	}
}

func (s *step) grant(i int, to Member) {
	sh := &s.next.Shards[i]
	*sh = Shard{Epoch: sh.Epoch + 1, Phase: Owned, Owner: to, Wrote: sh.Wrote}
}

// assign grants what is free, and begins moves.
func (s *step) assign() {
	var members []Capacity
	for _, name := range slices.Sorted(maps.Keys(s.Members)) {
		if s.accepts(name) {
			members = append(members, Capacity{name, s.Members[name].Capacity})
		}
	}
	current := make([]Member, len(s.next.Shards))
	for i, sh := range s.next.Shards {
		current[i] = sh.Owner
		if sh.Target != "" {
			current[i] = sh.Target
		}
	}
	loads := Known(s.Loads, len(current))
	wanted := Plan(current, loads, members, s.Level && (s.Changed || Imbalance(current, loads, members) > Drift))
	for i := range s.next.Shards {
		sh := &s.next.Shards[i]
		switch {
		case sh.Phase == Free && wanted[i] != "":
			s.grant(i, wanted[i])
		case sh.Phase == Draining && sh.Target == "":
			sh.Target = wanted[i]
			if sh.Target == sh.Owner { // it has begun to stop, and gets the shard back at a new epoch
				sh.Target = ""
			}
		case sh.Phase != Owned:
		case wanted[i] == "" && s.Members[sh.Owner].State == Leaving:
			sh.Phase = Draining
		case wanted[i] != "" && wanted[i] != sh.Owner:
			if sh.Phase, sh.Target = Preparing, wanted[i]; !s.limits.Prepare {
				sh.Phase = Draining
			}
		}
	}
}

func (s *step) changed() bool {
	return s.next.Unproven != s.Map.Unproven || !slices.Equal(s.next.Coordinators, s.Map.Coordinators) || !slices.Equal(s.next.Shards, s.Map.Shards)
}
