package main

import (
	"fmt"
	"text/tabwriter"
)

// table prints the state of the shards.
func (p *program) table(title string) {
	shards := p.informer.Shards()
	fmt.Fprintf(p.out, "\n%s: %d shards, streams %d, imbalance %.2f\n", title, len(shards), p.informer.Streams(), p.informer.Imbalance())
	p.mu.Lock()
	defer p.mu.Unlock()
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "shard\tpods\tchanges/s\twaiting\tcoalesced\tmoved in\tmoved out\treconciled\tstate\t")
	for _, s := range shards {
		state := "well"
		if s.Full != nil {
			state = "full"
		} else if err := s.Err(); err != nil {
			state = err.Error()
		}
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%d\t%d\t%d\t%d\t%d\t%s\t\n",
			s.ID, s.Objects, s.Rate, s.Pending, s.Coalesced, s.MovedIn, s.MovedOut, p.reconciled[s.ID], state)
	}
	w.Flush()
}
