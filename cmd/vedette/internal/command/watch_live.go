package command

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"vedette.dev/cache"
	"vedette.dev/cmd/vedette/internal/view"
)

// live is a view on a terminal that is redrawn after changes; without a terminal, it is printed once.
type live struct {
	*watch
	follower *follower
	title    string
	view     *view.View
	changed  atomic.Bool
}

var _ outlet = (*live)(nil)

func newLive(w *watch, f *follower, title string, namespaces bool) *live {
	return &live{watch: w, follower: f, title: title, view: view.New(w.by, namespaces)}
}

// OnAdd implements cache.ResourceEventHandler.
func (l *live) OnAdd(obj any, initial bool) {
	at := time.Now()
	if initial {
		at = time.Time{}
	}
	if u := asObject(obj); u != nil {
		l.view.Put(u, at)
		l.changed.Store(true)
	}
}

// OnUpdate implements cache.ResourceEventHandler.
func (l *live) OnUpdate(_, obj any) { l.OnAdd(obj, false) }

// OnDelete implements cache.ResourceEventHandler.
func (l *live) OnDelete(obj any) {
	if u := asObject(obj); u != nil {
		l.view.Remove(u, time.Now())
	} else if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		namespace, name, _ := cache.SplitMetaNamespaceKey(gone.Key)
		l.view.RemoveKey(namespace, name, time.Now())
	}
	l.changed.Store(true)
}

// How often a frame is drawn at most, how often if only ages change, and from how many objects on always so.
const (
	frameTime = 200 * time.Millisecond
	ageTime   = time.Second
	manyRows  = 10_000
)

func (l *live) show(ctx context.Context) error {
	if l.once {
		return l.print()
	}
	screen := l.screen()
	defer screen.Close()
	ticker := time.NewTicker(frameTime)
	defer ticker.Stop()
	var drawn time.Time
	for {
		now := time.Now()
		if old := now.Sub(drawn) >= ageTime; old || l.view.Len() < manyRows && l.changed.Swap(false) {
			drawn = now
			frame := l.view.Frame(l.title, screen.Room(), now)
			frame.Note = l.follower.shardLine()
			if frame.Footer = l.follower.problem(); frame.Footer == "" {
				frame.Footer = "Ctrl-C ends"
			}
			if err := screen.Draw(frame); err != nil {
				return err
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// print prints the whole view, without interactive parts.
func (l *live) print() error {
	frame := l.view.Frame(l.title, l.view.Len(), time.Now())
	if _, err := fmt.Fprintln(l.out, l.style.Bold(frame.Header)); err != nil {
		return err
	}
	for _, row := range frame.Rows {
		if _, err := fmt.Fprintln(l.out, row); err != nil {
			return err
		}
	}
	return nil
}
