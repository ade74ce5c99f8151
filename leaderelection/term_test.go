package leaderelection

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A term is first marked as ended, then its context ends. The work may check in between.
func TestContextOfATermThatIsJustEnding(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.add("a", nil)
		term := a.newTerm(t.Context(), a.newRecord(a.clock.Now()), a.clock.Now())
		if term.ctx.Err() != nil || !term.valid() {
			t.Fatalf("over from the beginning: %v", term.Err())
		}
		term.End(ErrLost)
		if err := term.ctx.Err(); err == nil || !errors.Is(context.Cause(term.ctx), ErrLost) {
			t.Errorf("%v, because of %v", err, context.Cause(term.ctx))
		}
	})
}

// A renewal whose answer comes after the term was said to be over does not bring it back.
func TestLateRenewal(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.add("a", nil)
		begin := a.clock.Now()
		term := a.newTerm(t.Context(), a.newRecord(begin), begin)
		time.Sleep(renew)
		sent := a.clock.Now()
		if term.valid() {
			t.Error("valid at its deadline")
		}
		if term.renewed(a.newRecord(sent), sent) || term.valid() {
			t.Error("an ended term was renewed")
		}
		// And one that was answered too late is none.
		term = a.newTerm(t.Context(), a.newRecord(begin), sent)
		time.Sleep(2 * renew)
		if term.renewed(a.newRecord(sent), sent) {
			t.Error("renewed by an answer that took too long")
		}
	})
}

// Contexts that are made of the work's end with it, without a goroutine for each.
func TestChildrenOfTheContext(t *testing.T) {
	bubble(t, func(t *testing.T, e *election) {
		a := e.start(e.add("a", nil))
		sleep(time.Second)
		child, cancel := context.WithTimeout(a.context(), time.Hour)
		defer cancel()
		if n, ok := Term(child); n != 0 || !ok {
			t.Errorf("term %d, %v", n, ok)
		}
		a.cancel()
		<-child.Done()
		if !errors.Is(child.Err(), context.Canceled) {
			t.Errorf("%v", child.Err())
		}
	})
}
