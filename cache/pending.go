package cache

import "k8s.io/apimachinery/pkg/types"

// pending is what a DeltaFIFO holds for one key.
type pending struct {
	key    string
	deltas Deltas
	first  [1]Delta // room for the first, as most keys change once before they are handed out
	// stamps says who the objects were before they were transformed, one for each delta. Without a transformer it is nil:
	// the objects still say it.
	stamps []stamp
}

// stamp is the identity of an object as the server knows it.
type stamp struct {
	uid     types.UID
	version string
}

func newPending(key string) *pending {
	p := &pending{key: key}
	p.deltas = p.first[:0]
	return p
}

// add appends a delta, or lets it take the place of an equal one. It tells whether there is one delta more.
func (p *pending) add(d Delta, s stamp, stamped bool) bool {
	if n := len(p.deltas) - 1; n >= 0 && d.Type == Deleted && p.deltas[n].Type == Deleted {
		// Both say the same: the one that knows the last state stays.
		if _, unknown := p.deltas[n].Object.(DeletedFinalStateUnknown); unknown {
			p.deltas[n] = d
			if stamped {
				p.stamps[n] = s
			}
		}
		return false
	}
	p.deltas = append(p.deltas, d)
	if stamped {
		p.stamps = append(p.stamps, s)
	}
	return true
}

// stampAt returns the identity of the object of delta i.
func (p *pending) stampAt(i int) stamp {
	if p.stamps != nil {
		return p.stamps[i]
	}
	return stampOf(p.deltas[i].Object)
}

func stampOf(obj any) stamp {
	if d, ok := obj.(DeletedFinalStateUnknown); ok {
		obj = d.Obj
	}
	if p, ok := obj.(*packed); ok {
		return p.id()
	}
	m, err := metaOf(obj)
	if err != nil {
		return stamp{}
	}
	return stamp{uid: m.GetUID(), version: m.GetResourceVersion()}
}
