package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"vedette.dev/cmd/vedette/internal/object"
	"vedette.dev/cmd/vedette/internal/show"
	"vedette.dev/internal/objdiff"
)

// event is a change, with the type of a watch event.
type event struct {
	Type   string                     `json:"type"`
	Group  string                     `json:"group,omitempty"`
	Object *unstructured.Unstructured `json:"object"`

	changed []string // the fields in which it differs from before
}

// lines prints a line for each change.
type lines struct {
	*watch
	follower   *follower
	namespaces bool
	failed     chan error

	mu sync.Mutex
	// initial has the objects of the initial list until it is complete. They are then printed in order, and initial is nil.
	initial []event
	begun   bool
	table   *show.Table // nil until the first line
}

var _ outlet = (*lines)(nil)

func newLines(w *watch, f *follower, namespaces bool) *lines {
	return &lines{watch: w, follower: f, namespaces: namespaces, failed: make(chan error, 1)}
}

// OnAdd implements cache.ResourceEventHandler.
func (l *lines) OnAdd(obj any, initial bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := event{Type: "ADDED", Object: asObject(obj)}
	if initial && !l.begun && e.Object != nil {
		l.initial = append(l.initial, e)
		return
	}
	l.put(e)
}

// OnUpdate implements cache.ResourceEventHandler.
func (l *lines) OnUpdate(old, obj any) {
	e := event{Type: "MODIFIED", Object: asObject(obj)}
	if before := asObject(old); before != nil && e.Object != nil && l.output == "table" {
		e.changed = objdiff.Fields(before.Object, e.Object.Object)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(e)
}

// OnDelete implements cache.ResourceEventHandler.
func (l *lines) OnDelete(obj any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(event{Type: "DELETED", Object: asObject(obj)})
}

// put prints an event, after the objects of the initial list.
func (l *lines) put(e event) {
	if e.Object == nil { // a deletion of which only the name is known
		return
	}
	l.begin()
	l.print(e)
}

// begin prints the objects of the initial list. It is called when the handler has synced or an event follows the list.
func (l *lines) begin() {
	if l.begun {
		return
	}
	l.begun = true
	slices.SortFunc(l.initial, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.Object.GetNamespace(), b.Object.GetNamespace()), cmp.Compare(a.Object.GetName(), b.Object.GetName()))
	})
	l.print(l.initial...)
	l.initial = nil
}

// print prints events together, so that the first ones are aligned. The first error ends the command.
func (l *lines) print(events ...event) {
	var text strings.Builder
	first := l.table == nil
	for _, e := range events {
		e.Group = l.by.Of(e.Object)
		switch l.output {
		case "json":
			data, _ := json.Marshal(e) // it came as JSON
			text.Write(append(data, '\n'))
		case "yaml":
			data, _ := yaml.Marshal(e)
			text.WriteString("---\n" + string(data))
		case "name":
			fmt.Fprintln(&text, l.nameOf(e.Object))
		default:
			l.row(e)
		}
	}
	if l.table != nil {
		if first {
			fmt.Fprintln(&text, l.table.Header())
		}
		for _, line := range l.table.Lines() {
			fmt.Fprintln(&text, line)
		}
	}
	if _, err := io.WriteString(l.out, text.String()); err != nil {
		select {
		case l.failed <- err:
		default:
		}
	}
}

// nameOf returns the name of an object as kubectl prints it: pod/web, deployment.apps/web.
func (l *lines) nameOf(obj *unstructured.Unstructured) string {
	kind := strings.ToLower(obj.GetKind())
	if group := l.follower.resource.Group; group != "" {
		kind += "." + group
	}
	return kind + "/" + obj.GetName()
}

// row adds an event to the table.
func (l *lines) row(e event) {
	var names, cells []string
	column := func(name, cell string) { names, cells = append(names, name), append(cells, cell) }
	column("EVENT   ", e.Type) // as wide as the longest of them
	if l.namespaces {
		column("NAMESPACE", e.Object.GetNamespace())
	}
	column("NAME", e.Object.GetName())
	if !l.by.IsZero() {
		column(l.by.Title, e.Group)
	}
	column("STATUS", object.Status(e.Object))
	column("AGE", age(e.Object))
	column("CHANGED", fieldList(e))
	if l.table == nil {
		l.table = show.NewTable(names...)
	}
	l.table.Add(cells...)
}

// age returns the age of an object. No other output depends on the current time.
func age(obj *unstructured.Unstructured) string {
	created := obj.GetCreationTimestamp()
	if created.IsZero() {
		return "-"
	}
	return show.Age(time.Since(created.Time))
}

// fieldList returns the changed fields, shortened to fit into a line.
func fieldList(e event) string {
	if e.Type != "MODIFIED" {
		return ""
	}
	if len(e.changed) == 0 {
		return "only its version"
	}
	return strings.Join(objdiff.Brief(e.changed, 3), ", ")
}

// show waits while the handler prints, and reports errors that last.
func (l *lines) show(ctx context.Context) error {
	l.mu.Lock()
	l.begin()
	l.mu.Unlock()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	reported := false
	for {
		select {
		case <-ticker.C:
			problem := l.follower.problem()
			if problem != "" && !reported {
				fmt.Fprintf(l.err, "vedette: %s\n", problem)
			} else if problem == "" && reported {
				fmt.Fprintf(l.err, "vedette: watch of %s recovered\n", l.follower.resource)
			}
			reported = problem != ""
		case err := <-l.failed:
			return err
		case <-ctx.Done():
			select {
			case err := <-l.failed:
				return err
			default:
				return nil
			}
		}
	}
}
