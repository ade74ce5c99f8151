package serve

import "time"

// bookmarkTimer fires when bookmarks are due. Its channel is nil if the client does not want any.
type bookmarkTimer struct {
	timer    *time.Timer
	deadline time.Time
}

func newBookmarkTimer(wanted bool, deadline time.Time) *bookmarkTimer {
	b := &bookmarkTimer{deadline: deadline}
	if wanted {
		b.timer = time.NewTimer(b.wait())
	}
	return b
}

// wait returns the time to the next bookmark: a minute, or until shortly before the end, or beyond the end.
func (b *bookmarkTimer) wait() time.Duration {
	last := time.Until(b.deadline) - bookmarkBeforeEnd
	if last < 0 {
		return bookmarkEvery
	}
	return min(bookmarkEvery, last)
}

func (b *bookmarkTimer) due() <-chan time.Time {
	if b.timer == nil {
		return nil
	}
	return b.timer.C
}

// next resets the timer after a bookmark. The one before the end is the last.
func (b *bookmarkTimer) next() {
	wait := b.wait()
	if wait == 0 {
		wait = bookmarkEvery
	}
	b.timer.Reset(wait)
}

func (b *bookmarkTimer) stop() {
	if b.timer != nil {
		b.timer.Stop()
	}
}
