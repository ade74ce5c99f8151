package cache

// pending is what a DeltaFIFO holds for one key.
type pending struct {
	key    string
	deltas Deltas
	first  [1]Delta // room for the first, as most keys change once before they are handed out
}

func newPending(key string) *pending {
	p := &pending{key: key}
	p.deltas = p.first[:0]
	return p
}

// add appends a delta, or lets it take the place of an equal one. It reports whether there is one delta more.
func (p *pending) add(d Delta) bool {
	if n := len(p.deltas) - 1; n >= 0 && d.Type == Deleted && p.deltas[n].Type == Deleted {
		// Both say the same: the one that knows the last state stays.
		if _, unknown := p.deltas[n].Object.(DeletedFinalStateUnknown); unknown {
			p.deltas[n] = d
		}
		return false
	}
	p.deltas = append(p.deltas, d)
	return true
}
