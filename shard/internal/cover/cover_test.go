package cover

import (
	"testing"

	"pgregory.net/rapid"

	"vedette.dev/internal/hashspace"
)

// point is an object, as far as covers look at it.
type point struct {
	cluster, namespace, team, phase string
	hash                            uint64
}

// The dimensions of the model, and for each its values: those that covers mention, and one that none does.
var (
	cluster   = Dimension{Kind: Cluster}
	namespace = Dimension{Kind: Namespace}
	team      = Dimension{Label, "team"}
	phase     = Dimension{Field, "status.phase"}
	uid       = Dimension{Hash, "uid"}

	clusters   = []string{"", "east", "other"}
	namespaces = []string{"a", "b", "c", "other"}
	teams      = []string{Absent, "x", "y", "other"}
	phases     = []string{"Running", "other"}
	cells      = hashspace.Equal(6)
)

var universe = func() (out []point) {
	for _, c := range clusters {
		for _, n := range namespaces {
			for _, t := range teams {
				for _, p := range phases {
					for _, r := range cells {
						out = append(out, point{c, n, t, p, r.Start}, point{c, n, t, p, r.End - 1})
					}
				}
			}
		}
	}
	return out
}()

func reader(d Dimension) Reader[point] {
	switch d {
	case cluster:
		return Reader[point]{Value: func(p point) string { return p.cluster }}
	case namespace:
		return Reader[point]{Value: func(p point) string { return p.namespace }}
	case team:
		return Reader[point]{Value: func(p point) string { return p.team }}
	case phase:
		return Reader[point]{Value: func(p point) string { return p.phase }}
	}
	return Reader[point]{Hash: func(p point) uint64 { return p.hash }}
}

// model is a cover as what it has of the universe.
type model map[point]bool

func drawSet(t *rapid.T, values []string) (Set, func(string) bool) {
	some := rapid.SliceOfNDistinct(rapid.SampledFrom(values[:len(values)-1]), 0, -1, rapid.ID[string]).Draw(t, "values")
	in := func(v string) bool {
		for _, s := range some {
			if s == v {
				return true
			}
		}
		return false
	}
	if rapid.Bool().Draw(t, "except") {
		return Except(some...), func(v string) bool { return !in(v) }
	}
	return Values(some...), in
}

func drawHashes(t *rapid.T) Set {
	var ranges []hashspace.Range
	for _, r := range cells {
		if rapid.Bool().Draw(t, "cell") {
			ranges = append(ranges, r)
		}
	}
	set, err := hashspace.NewSet(ranges...)
	if err != nil {
		t.Fatal(err)
	}
	return Hashes(set)
}

// drawCover draws a cover together with its model.
func drawCover(t *rapid.T, depth int) (Cover, model) {
	if depth > 0 && rapid.Bool().Draw(t, "compound") {
		a, inA := drawCover(t, depth-1)
		b, inB := drawCover(t, depth-1)
		switch rapid.SampledFrom([]string{"union", "intersect", "subtract"}).Draw(t, "operation") {
		case "union":
			return Union(a, b), where(func(p point) bool { return inA[p] || inB[p] })
		case "intersect":
			return a.Intersect(b), where(func(p point) bool { return inA[p] && inB[p] })
		}
		return a.Subtract(b), where(func(p point) bool { return inA[p] && !inB[p] })
	}
	c, in := All(), func(point) bool { return true }
	restrict := func(d Dimension, s Set, has func(point) bool) {
		before := in
		c, in = c.Restrict(d, s), func(p point) bool { return before(p) && has(p) }
	}
	for _, d := range []struct {
		Dimension
		values []string
		of     func(point) string
	}{
		{cluster, clusters, func(p point) string { return p.cluster }},
		{namespace, namespaces, func(p point) string { return p.namespace }},
		{team, teams, func(p point) string { return p.team }},
		{phase, phases, func(p point) string { return p.phase }},
	} {
		if rapid.IntRange(0, 2).Draw(t, "restricts") == 0 {
			s, has := drawSet(t, d.values)
			restrict(d.Dimension, s, func(p point) bool { return has(d.of(p)) })
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "hashes") == 0 {
		s := drawHashes(t)
		restrict(uid, s, func(p point) bool { return s.hasHash(p.hash) })
	}
	return c, where(in)
}

func where(in func(point) bool) model {
	m := model{}
	for _, p := range universe {
		if in(p) {
			m[p] = true
		}
	}
	return m
}

func (m model) contains(o model) bool {
	for p := range o {
		if !m[p] {
			return false
		}
	}
	return true
}

func (m model) overlaps(o model) bool {
	for p := range o {
		if m[p] {
			return true
		}
	}
	return false
}

func TestCoversAreSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, inA := drawCover(t, 3)
		b, inB := drawCover(t, 2)
		test := Test(a, reader)
		for _, p := range universe {
			if got := test == nil || test(p); got != inA[p] {
				t.Fatalf("%v has %+v: %v, want %v", a, p, got, inA[p])
			}
		}
		for _, check := range []struct {
			what      string
			got, want bool
		}{
			{"IsEmpty", a.IsEmpty(), len(inA) == 0},
			{"Contains", a.Contains(b), inA.contains(inB)},
			{"Overlaps", a.Overlaps(b), inA.overlaps(inB)},
			{"Equal", a.Equal(b), inA.contains(inB) && inB.contains(inA)},
			{"Equal to itself in parts", Union(a.Intersect(b), a.Subtract(b)).Equal(a), true},
		} {
			if check.got != check.want {
				t.Fatalf("%s of\n%v and\n%v is %v, want %v", check.what, a, b, check.got, check.want)
			}
		}
	})
}

func TestUnionJoinsBoxes(t *testing.T) {
	var parts []Cover
	for _, r := range hashspace.Equal(1000) {
		parts = append(parts, Of(uid, Hashes(hashspace.Set{r})))
	}
	if all := Union(parts...); len(all.boxes) != 1 || len(all.boxes[0]) != 0 {
		t.Errorf("the union of all hashes is %v, want everything", all)
	}
	if all := Union(Of(team, Values("x")), Of(team, Except("x"))); len(all.boxes) != 1 || len(all.boxes[0]) != 0 {
		t.Errorf("the union of a value and all others is %v, want everything", all)
	}
}

func TestDimensionsByDifferentKeysAreIndependent(t *testing.T) {
	byUID := Of(Dimension{Hash, "uid"}, Hashes(hashspace.Set{cells[0]}))
	byNamespace := Of(Dimension{Hash, "namespace"}, Hashes(hashspace.Set{cells[0]}))
	if byUID.Contains(byNamespace) || byNamespace.Contains(byUID) || !byUID.Overlaps(byNamespace) {
		t.Error("hashes by different keys are taken for the same")
	}
}
