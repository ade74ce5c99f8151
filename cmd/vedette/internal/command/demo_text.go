package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"vedette.dev/cmd/vedette/internal/demo"
	"vedette.dev/cmd/vedette/internal/show"
)

// news is what has happened in a demo.
type news struct {
	out   io.Writer
	began time.Time
	// live says that what happened is in the frames, and not printed by itself.
	live bool

	mu   sync.Mutex
	last []string
}

// lastNews is how much of it a frame shows.
const lastNews = 6

// add is told what has happened.
func (n *news) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	line := show.Clean(fmt.Sprintf("%5s  %s", seconds(time.Since(n.began)), text))
	if !n.live {
		fmt.Fprintln(n.out, line)
		return
	}
	if n.last = append(n.last, line); len(n.last) > lastNews {
		n.last = n.last[1:]
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.0fs", d.Seconds()) }

// frame is how it goes, for a terminal.
func (n *news) frame(s demo.Status, url, hint string, forTime time.Duration) show.Frame {
	table := show.NewTable("INFORMER", ">OBJECTS", ">EVENTS/S", "STATE", ">WAITING", "TROUBLE")
	for _, row := range s.Rows {
		table.Add(row.Name, show.Count(row.Objects), show.Rate(row.Events), row.Phase, show.Count(row.Waiting), cmp.Or(row.Trouble, "-"))
	}
	elapsed := seconds(s.Elapsed)
	if forTime > 0 {
		elapsed += " of " + seconds(forTime)
	}
	f := show.Frame{
		Title:  fmt.Sprintf("vedette demo, %s: %s changes, %s faults; live page at %s", elapsed, show.Count(s.Changes), show.Count(s.Faults), url),
		Header: table.Header(), Rows: table.Lines(), Footer: "Ctrl-C ends, with a verdict",
	}
	if forTime > 0 {
		f.Footer = "Ctrl-C ends, without a verdict"
	}
	f.Rows = append(f.Rows, "",
		fmt.Sprintf("operator: %s reconciles/s, %s keys in the queue, %s failed so far", show.Rate(s.Reconciles), show.Count(s.Queued), show.Count(s.Failed)),
		shardLine(s.Shards)+fmt.Sprintf("; %s, largest ÷ mean %.2f", number(s.Streams, "watch", "watches"), s.Imbalance),
		hint, "")
	n.mu.Lock()
	defer n.mu.Unlock()
	f.Rows = append(f.Rows, n.last...)
	return f
}

// shardLine is how many objects each shard has, as long as that fits into a line.
func shardLine(objects []int) string {
	const most = 16
	var each []string
	for _, n := range objects[:min(most, len(objects))] {
		each = append(each, show.Count(n))
	}
	if len(objects) > most {
		each = append(each, "…")
	}
	return fmt.Sprintf("%s: %s", number(len(objects), "shard", "shards"), strings.Join(each, " | "))
}

func number[N int | int64 | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return show.Count(n) + " " + many
}

// lines returns a function that prints a line now and then, for a pipe.
func (d *demonstrate) lines(machine *demo.Demo) func() error {
	every := 10 * time.Second
	if d.forTime > 0 {
		every = min(every, max(time.Second, d.forTime/6))
	}
	next := time.Now().Add(1300 * time.Millisecond) // when there are rates
	return func() error {
		s := machine.Status() // also for the rates
		if time.Now().Before(next) {
			return nil
		}
		next = time.Now().Add(every)
		trouble := "all is well"
		for _, row := range s.Rows {
			if row.Trouble != "" {
				trouble = row.Name + ": " + row.Trouble
				break
			}
		}
		_, err := fmt.Fprintf(d.out, "%5s  %s objects in caches, %s events/s, %s reconciles/s, %s changes so far; %s\n", seconds(s.Elapsed),
			show.Count(s.Objects), show.Rate(s.Events), show.Rate(s.Reconciles), show.Count(s.Changes), show.Clean(trouble))
		return err
	}
}

// maxProblems is how many are listed.
const maxProblems = 10

// printVerdict prints what came of a demo. It is an error if not all is well.
func (d *demonstrate) printVerdict(v demo.Verdict) error {
	table := show.NewTable("INFORMER", ">SERVER", ">CACHE", "", "HANDLERS")
	for _, k := range v.Kinds {
		same := "same"
		if !k.Same {
			same = "DIFFERENT"
		}
		table.Add(k.Name, show.Count(k.Server), show.Count(k.Cache), same, fmt.Sprintf("%d of %d the same", k.SameHandlers, k.Handlers))
	}
	fmt.Fprintf(d.out, "\nAfter %s and %s:\n\n%s\n", number(v.Changes, "change", "changes"), number(v.Faults, "fault", "faults"), table)
	fmt.Fprintf(d.out, "The operator did %s, of which %s failed and were tried again; there are %s with %s.\n",
		number(v.Reconciles, "reconcile", "reconciles"), show.Count(v.Failed), number(v.Sites, "site", "sites"), number(v.Pages, "page", "pages"))
	if len(v.Problems) == 0 {
		_, err := fmt.Fprintf(d.out, "%s the %s in the server, in %d caches and in the views of %d handlers are the same. Nothing was lost.\n",
			d.style.Bold("All is well:"), number(v.Objects, "object", "objects"), v.Caches, v.Handlers)
		return err
	}
	for _, problem := range v.Problems[:min(len(v.Problems), maxProblems)] {
		fmt.Fprintf(d.out, "  %s\n", show.Clean(problem))
	}
	return fmt.Errorf("not all is well: %s", number(len(v.Problems), "thing differs", "things differ"))
}
