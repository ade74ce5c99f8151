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

// news is the log of a demo.
type news struct {
	out   io.Writer
	began time.Time
	// live is set if messages are part of the frames, and not printed on their own.
	live bool

	mu   sync.Mutex
	last []string
}

// lastNews is how many messages a frame shows.
const lastNews = 6

// add adds a message.
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

// frame returns the status for a terminal.
func (n *news) frame(s demo.Status, url, hint string, forTime time.Duration) show.Frame {
	table := show.NewTable("INFORMER", ">OBJECTS", ">EVENTS/S", "STATE", ">WAITING", "ERROR")
	for _, row := range s.Rows {
		table.Add(row.Name, show.Count(row.Objects), show.Rate(row.Events), row.Phase, show.Count(row.Waiting), cmp.Or(row.Error, "-"))
	}
	elapsed := seconds(s.Elapsed)
	if forTime > 0 {
		elapsed += " of " + seconds(forTime)
	}
	f := show.Frame{
		Title:  fmt.Sprintf("vedette demo, %s: %s changes, %s faults; console at %s", elapsed, show.Count(s.Changes), show.Count(s.Faults), url),
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

// shardLine returns how many objects each shard has, if that fits into a line.
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

// lines returns a function that prints a status line from time to time, for a pipe.
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
		problem := "no errors"
		for _, row := range s.Rows {
			if row.Error != "" {
				problem = row.Name + ": " + row.Error
				break
			}
		}
		_, err := fmt.Fprintf(d.out, "%5s  %s objects in caches, %s events/s, %s reconciles/s, %s changes so far; %s\n", seconds(s.Elapsed),
			show.Count(s.Objects), show.Rate(s.Events), show.Rate(s.Reconciles), show.Count(s.Changes), show.Clean(problem))
		return err
	}
}

// maxProblems is how many problems are listed.
const maxProblems = 10

// printVerdict prints the verdict. It returns an error if there are problems.
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
	fmt.Fprintf(d.out, "The operator did %s, of which %s failed and were retried; there are %s with %s.\n",
		number(v.Reconciles, "reconcile", "reconciles"), show.Count(v.Failed), number(v.Sites, "site", "sites"), number(v.Pages, "page", "pages"))
	if len(v.Problems) == 0 {
		_, err := fmt.Fprintf(d.out, "%s the %s in the server, in %d caches and in the views of %d handlers are the same. Nothing was lost.\n",
			d.style.Bold("Passed:"), number(v.Objects, "object", "objects"), v.Caches, v.Handlers)
		return err
	}
	for _, problem := range v.Problems[:min(len(v.Problems), maxProblems)] {
		fmt.Fprintf(d.out, "  %s\n", show.Clean(problem))
	}
	return fmt.Errorf("verdict: %s", number(len(v.Problems), "problem", "problems"))
}
