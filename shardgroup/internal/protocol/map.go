package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
)

// Version is the version of the form of maps that this package reads and writes.
const Version = 1

// Member names a member: one run of a process. A name is never used again.
type Member string

// Phase is the phase of a shard.
type Phase uint8

// The phases of a shard.
const (
	Free      Phase = iota // it has no owner
	Owned                  // by Owner
	Preparing              // owned by Owner, while Target fills its cache
	Draining               // Owner finishes its work and releases the shard, for Target if that is not empty
)

// String returns the name of the phase.
func (p Phase) String() string { return [...]string{"free", "owned", "preparing", "draining"}[p] }

// Shard is the entry of a shard in a map.
type Shard struct {
	// Epoch is the number of the last grant of the shard.
	Epoch         int64
	Phase         Phase
	Owner, Target Member
	// Wrote has the versions of what the last owner has written in the shard, as FormatVersions writes them. The owner
	// begins when its informers have them. It is empty if they are not known.
	Wrote string
}

// Map says who owns each shard.
type Map struct {
	// ID is another one for each map that is created, and is never used again.
	ID string
	// Seq increases with each change of the map.
	Seq int64
	// Key is the name of the key by which objects are divided. Members with another key, or another number of shards,
	// cannot join.
	Key string
	// Unproven says that members of an earlier map may exist: nothing is granted yet.
	Unproven bool
	// Base is the epoch of all shards when the map was created.
	Base int64
	// Coordinators are those who may change the map, the first one first.
	Coordinators []Member
	Shards       []Shard
}

// text is the form of a map on the server. It is compact: with 4,096 shards of 100 members it takes some 40 KB.
type text struct {
	Version      int      `json:"version"`
	Sum          string   `json:"sum"` // of the same text with an empty sum
	ID           string   `json:"id"`
	Seq          int64    `json:"seq"`
	Key          string   `json:"key"`
	Unproven     bool     `json:"unproven,omitempty"`
	Base         int64    `json:"base"`
	Coordinators []Member `json:"coordinators,omitempty"`
	Members      []Member `json:"members,omitempty"`
	// Shards has an entry for each shard: its epoch above the base, "@", and the number of the owner or "-". Behind ">"
	// is the target of a shard that is prepared, behind "!" that of one that is drained.
	Shards string `json:"shards"`
	// Wrote has Shard.Wrote, where it is not empty.
	Wrote map[int]string `json:"wrote,omitempty"`
}

func (t text) sum() string {
	t.Sum = ""
	data, _ := json.Marshal(t) // strings and numbers
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE(data))
}

// Bytes returns the form of the map on the server.
func (m *Map) Bytes() []byte {
	t := text{Version: Version, ID: m.ID, Seq: m.Seq, Key: m.Key, Unproven: m.Unproven, Base: m.Base, Coordinators: m.Coordinators}
	numbers := map[Member]int{}
	number := func(name Member) string {
		if name == "" {
			return "-"
		}
		n, ok := numbers[name]
		if !ok {
			n = len(numbers)
			numbers[name] = n
			t.Members = append(t.Members, name)
		}
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for i, s := range m.Shards {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d@%s", s.Epoch-m.Base, number(s.Owner))
		switch s.Phase {
		case Preparing:
			b.WriteString(">" + number(s.Target))
		case Draining:
			b.WriteString("!" + number(s.Target))
		}
		if s.Wrote != "" {
			if t.Wrote == nil {
				t.Wrote = map[int]string{}
			}
			t.Wrote[i] = s.Wrote
		}
	}
	t.Shards = b.String()
	t.Sum = t.sum()
	data, _ := json.Marshal(t) // strings and numbers
	return data
}

// ErrVersion is wrapped by the error of Parse for a map of another version.
var ErrVersion = errors.New("unknown version")

// ErrEdited is wrapped by the error of Parse for a map that was changed by something else than this package.
var ErrEdited = errors.New("the map was edited")

// Parse reads the form of a map on the server.
func Parse(data []byte) (*Map, error) {
	var t text
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, fmt.Errorf("the map is not valid: %w", err)
	}
	if t.Version != Version {
		return nil, fmt.Errorf("the map has version %d, this program knows %d: %w", t.Version, Version, ErrVersion)
	}
	if want := t.sum(); t.Sum != want {
		return nil, fmt.Errorf("%w: its sum is %q, want %q", ErrEdited, t.Sum, want)
	}
	if t.ID == "" {
		return nil, errors.New("the map is not valid: it has no ID")
	}
	m := &Map{ID: t.ID, Seq: t.Seq, Key: t.Key, Unproven: t.Unproven, Base: t.Base, Coordinators: t.Coordinators}
	for i, token := range strings.Fields(t.Shards) {
		s, err := parseShard(token, t.Members)
		if err != nil {
			return nil, fmt.Errorf("the map is not valid: shard %d is %q: %w", i, token, err)
		}
		s.Epoch += m.Base
		s.Wrote = t.Wrote[i]
		m.Shards = append(m.Shards, s)
	}
	if len(m.Shards) == 0 {
		return nil, errors.New("the map is not valid: it has no shards")
	}
	return m, nil
}

func parseShard(token string, members []Member) (s Shard, err error) {
	epoch, owners, ok := strings.Cut(token, "@")
	if !ok {
		return s, errors.New("no owner")
	}
	if s.Epoch, err = strconv.ParseInt(epoch, 10, 64); err != nil || s.Epoch < 0 {
		return s, fmt.Errorf("the epoch is %q", epoch)
	}
	name := func(number string) Member {
		if number == "-" {
			return ""
		}
		n, numberErr := strconv.Atoi(number)
		if numberErr != nil || n < 0 || n >= len(members) || members[n] == "" {
			err = fmt.Errorf("there is no member %q", number)
			return ""
		}
		return members[n]
	}
	owner, target := owners, ""
	if i := strings.IndexAny(owners, ">!"); i >= 0 {
		owner, target = owners[:i], owners[i+1:]
		if s.Phase = Preparing; owners[i] == '!' {
			s.Phase = Draining
		}
		s.Target = name(target)
	}
	s.Owner = name(owner)
	switch {
	case err != nil:
	case s.Owner == "" && s.Phase != Free:
		err = errors.New("it is to leave an owner that it does not have")
	case s.Phase == Preparing && (s.Target == "" || s.Target == s.Owner), s.Target != "" && s.Target == s.Owner:
		err = errors.New("it has no other target")
	case s.Owner != "" && s.Phase == Free:
		s.Phase = Owned
	}
	return s, err
}

// New returns a map in which no shard has an owner. Its epochs begin above base.
func New(id, key string, shards int, base int64) *Map {
	m := &Map{ID: id, Key: key, Unproven: true, Base: base, Shards: make([]Shard, shards)}
	for i := range m.Shards {
		m.Shards[i].Epoch = base
	}
	return m
}

// Clone returns a copy.
func (m *Map) Clone() *Map {
	c := *m
	c.Coordinators, c.Shards = slices.Clone(m.Coordinators), slices.Clone(m.Shards)
	return &c
}

// MaxEpoch returns the highest epoch of a shard.
func (m *Map) MaxEpoch() int64 {
	epoch := m.Base
	for _, s := range m.Shards {
		epoch = max(epoch, s.Epoch)
	}
	return epoch
}

// Names reports whether the map names a member as owner, target or coordinator.
func (m *Map) Names(name Member) bool {
	return slices.Contains(m.Coordinators, name) || slices.ContainsFunc(m.Shards, func(s Shard) bool { return s.Owner == name || s.Target == name })
}

// Follows returns an error if no number of steps leads from an earlier state of a map to m: m is older, an epoch is lower, or a shard has
// another owner at the same epoch.
func (m *Map) Follows(earlier *Map) error {
	if m.Key != earlier.Key || len(m.Shards) != len(earlier.Shards) {
		return fmt.Errorf("the map has %d shards by %s, and had %d by %s", len(m.Shards), m.Key, len(earlier.Shards), earlier.Key)
	}
	if m.Seq < earlier.Seq {
		return fmt.Errorf("%w: it has change %d, and had %d", ErrEdited, m.Seq, earlier.Seq)
	}
	for i, s := range m.Shards {
		switch was := earlier.Shards[i]; {
		case s.Epoch < was.Epoch:
			return fmt.Errorf("shard %d has epoch %d, and had %d", i, s.Epoch, was.Epoch)
		case s.Epoch == was.Epoch && s.Owner != was.Owner && s.Phase != Free:
			return fmt.Errorf("shard %d belongs to %s, and to %s at the same epoch", i, s.Owner, was.Owner)
		}
	}
	return nil
}
