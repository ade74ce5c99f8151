package activity

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func said(what string) func() string { return func() string { return what } }

func TestTheInnermostWaitIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(Note)
		ctx := With(t.Context(), n)
		if From(context.Background()) != nil || From(ctx) != n {
			t.Fatal("the note is not where it was put")
		}
		expect := func(kind Kind, what string, ago time.Duration) {
			t.Helper()
			gotKind, gotWhat, since := n.Now()
			if gotKind != kind || gotWhat != what || kind != nothing && time.Since(since) != ago {
				t.Errorf("got %v %q since %v, want %v %q for %v", gotKind, gotWhat, since, kind, what, ago)
			}
		}
		expect(nothing, "", 0)
		leave := From(ctx).Enter(Request, said("GET /a"))
		time.Sleep(time.Second)
		leaveInner := n.Enter(Throttled, said("GET /a again"))
		time.Sleep(time.Second)
		expect(Throttled, "GET /a again", time.Second)
		leaveInner()
		expect(Request, "GET /a", 2*time.Second)
		leave()
		expect(nothing, "", 0)
	})
}

// Waits of several goroutines that share a context do not end as they began. Nothing is left behind by the last.
func TestWaitsThatOverlap(t *testing.T) {
	n := new(Note)
	first := n.Enter(Request, said("first"))
	second := n.Enter(Request, said("second"))
	first()
	if _, what, _ := n.Now(); what != "second" {
		t.Errorf("got %q", what)
	}
	second()
	if kind, what, _ := n.Now(); kind != nothing {
		t.Errorf("%q is left behind", what)
	}
}
