package cache

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type checker struct {
	name string
	done chan struct{}
}

func (c checker) Name() string          { return c.name }
func (c checker) Done() <-chan struct{} { return c.done }

func newChecker(name string, done bool) checker {
	c := checker{name, make(chan struct{})}
	if done {
		close(c.done)
	}
	return c
}

func TestWaitForReturnsWhenAllAreDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newChecker("a", false), newChecker("b", true)
		wantEqual(t, "done", [2]bool{IsDone(a), IsDone(b)}, [2]bool{false, true})
		time.AfterFunc(time.Second, func() { close(a.done) })
		start := time.Now()
		wantEqual(t, "all", WaitFor(t.Context(), "", a, b), true)
		wantEqual(t, "waited", time.Since(start), time.Second)
		wantEqual(t, "for nothing", WaitFor(t.Context(), ""), true)
	})
}

func TestWaitForSaysWhatWasNotDone(t *testing.T) {
	var lines []string
	logger := funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})
	ctx, cancel := context.WithCancelCause(logr.NewContext(t.Context(), logger))
	cancel(errBad)
	got := WaitFor(ctx, "caches", newChecker("c", false), newChecker("done", true), newChecker("a", false))
	wantEqual(t, "all", got, false)
	last := lines[len(lines)-1]
	if !strings.Contains(last, `"instances"=["a" "c"]`) || !strings.Contains(last, "bad object") {
		t.Errorf("logged %s", last)
	}
	wantEqual(t, "told of what was done", slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, `"instance"="done"`) }), true)
}

func TestSyncResultNamesWhatHasNotSynced(t *testing.T) {
	mustNot(t, SyncResult{}.AsError())
	err := SyncResult{Err: errBad, Synced: map[reflect.Type]bool{
		reflect.TypeFor[string](): false, reflect.TypeFor[int](): true, reflect.TypeFor[bool](): false,
	}}.AsError()
	wantError(t, err, "failed to sync all caches: bool, string: bad object")
	wantEqual(t, "wrapped", errors.Is(err, errBad), true)
}

func TestTheFirstInformerOfAResourceIsCounted(t *testing.T) {
	_, err := NewInformerName("")
	wantError(t, err, "cannot be empty")
	n, err := NewInformerName("name")
	mustNot(t, err)
	gvr := schema.GroupVersionResource{Resource: "pods"}
	first, second := n.WithResource(gvr), n.WithResource(gvr)
	wantEqual(t, "reserved", [2]bool{first.Reserved(), second.Reserved()}, [2]bool{true, false})
	wantEqual(t, "names", [2]string{n.Name(), first.Name()}, [2]string{"name", "name"})
	wantEqual(t, "resource", first.GroupVersionResource(), gvr)
	n.Release()
	wantEqual(t, "after release", first.Reserved() || n.WithResource(gvr).Reserved(), false)
	var none *InformerName
	none.Release()
	wantEqual(t, "of none", none.WithResource(gvr).Reserved() || none.Name() != "", false)
}
