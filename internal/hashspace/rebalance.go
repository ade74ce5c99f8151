package hashspace

import (
	"errors"
	"fmt"
	"math"
)

// Plan is a new assignment, and what it costs.
type Plan struct {
	// Owners tells who holds what. Together they cover the space exactly once.
	Owners map[string]Set
	// Moved is the fraction of the load that changed hands. What nobody held before does not count.
	Moved float64
	// Imbalance is the greatest load of an owner, divided by what is fair for its weight.
	Imbalance float64
}

// defaultTolerance is what Rebalance takes 0 for.
const defaultTolerance = 1.05

// Rebalance plans who shall hold what, with as little movement as it can; the package comment says what it keeps to.
//
// Owners that are not in current come, those that are only in current go. The value of an owner is its weight: how much it
// is to have beside the others; 0 means 1, and less than a thousandth of the greatest counts as that. The sets in current
// must be disjoint, but need not cover the space: what is missing is given to somebody. Without loads it is shares of the
// space that are balanced. Nothing moves as long as nobody has more than tolerance times what is fair; 0 means 1.05.
//
// It takes some twenty milliseconds for 100,000 loads, most of them for sorting.
func Rebalance(current map[string]Set, owners map[string]float64, loads []Load, tolerance float64) (Plan, error) {
	if tolerance == 0 {
		tolerance = defaultTolerance
	}
	if !(tolerance >= 1) || math.IsInf(tolerance, 0) {
		return Plan{}, fmt.Errorf("the tolerance is %v; it must be at least 1, or 0 for %v", tolerance, defaultTolerance)
	}
	if len(owners) == 0 {
		return Plan{}, errors.New("there are no owners to hold the space")
	}
	if err := Disjoint(current); err != nil {
		return Plan{}, err
	}
	before, err := newBoard(current, owners, loads, tolerance)
	if err != nil {
		return Plan{}, err
	}
	b := before.clone()
	b.inherit()
	b.adopt()
	b.gather()
	b.feed()
	b.level()
	if b.moved(before) > 0 {
		b.tidy()
		b.level()
	}
	b.provide()
	return b.plan(before), nil
}

// plan turns the board into its result. before is as it was at the start, with the same points.
func (b *board) plan(before *board) Plan {
	p := Plan{Owners: make(map[string]Set, len(b.owners)), Imbalance: b.imbalance()}
	for _, o := range b.owners {
		p.Owners[o.id] = nil
	}
	for _, r := range b.runs {
		id := b.owners[r.holder].id
		p.Owners[id] = append(p.Owners[id], closed(r.start, r.last))
	}
	p.Moved = b.moved(before) / b.total()
	return p
}

// moved is the load that somebody held before and another holds now.
func (b *board) moved(before *board) float64 {
	sum := 0.0
	for x, y := 0, 0; x < len(b.runs) && y < len(before.runs); {
		now, was := b.runs[x], before.runs[y]
		if i, j := max(now.i, was.i), min(now.j, was.j); i < j && was.holder != nobody && was.holder != now.holder {
			sum += b.between(i, j)
		}
		if now.last <= was.last {
			x++
		} else {
			y++
		}
	}
	return sum
}
