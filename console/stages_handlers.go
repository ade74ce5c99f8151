//go:build !vedette_noconsole

package console

import (
	"fmt"
	"strings"
	"time"

	"vedette.dev/cache"
)

func (v *informerView) handlers() stage {
	handled, before := v.handled()
	s := stage{ID: "handlers", Title: "Handlers", Unit: "waiting", Flow: v.perSecond(handled, before)}
	s.Level = v.quiet(s.Flow)
	waiting, coalesced, panics := 0, uint64(0), uint64(0)
	var oldest time.Duration
	for i := range v.Handlers {
		h := &v.Handlers[i]
		waiting += h.Waiting
		coalesced += h.Coalesced
		panics += h.Panics
		oldest = max(oldest, age(h.Oldest, v.at))
		s.raise(handlerLevel(h, v.at))
	}
	s.Figure = count(waiting)
	s.fact("handlers", count(len(v.Handlers)))
	s.fact("calls/s", rate(s.Flow))
	if oldest > 0 {
		s.fact("oldest", span(oldest))
	}
	if coalesced > 0 {
		s.fact("coalesced", count(coalesced))
	}
	if panics > 0 {
		s.fact("panics", count(panics))
	}
	for _, h := range v.Handlers {
		if old := v.handlerBefore(h.Number); h.Panics > old.Panics || h.Panics > 0 && v.apart == 0 {
			s.raise(levelFailing, fmt.Sprintf("%s panicked (%s so far); last panic: %s", handlerName(&h), plural(h.Panics, "time"), h.LastPanic))
		}
	}
	return s
}

func (v *informerView) handlerBefore(number int) cache.HandlerState {
	for _, h := range v.old.Handlers {
		if h.Number == number {
			return h
		}
	}
	return cache.HandlerState{}
}

func handlerName(h *cache.HandlerState) string {
	return fmt.Sprintf("handler %d (%s)", h.Number, handlerType(h.Handler))
}

// handlerType returns the type of a handler; for one that package cache has wrapped, the type of the objects.
func handlerType(t string) string {
	name := typeName(t)
	if of, ok := strings.CutPrefix(name, "cache.untypedHandler["); ok {
		return "typed handler of " + strings.TrimSuffix(of, "]")
	}
	return name
}

// handlerLevel returns the level of a handler, and the reason if it is not healthy.
func handlerLevel(h *cache.HandlerState, at time.Time) (level, string) {
	busy, waited := age(h.Busy, at), age(h.Oldest, at)
	behind := ""
	if h.Waiting > 0 {
		behind = fmt.Sprintf("; %s for it", plural(h.Waiting, "notification")+" wait")
		if h.Waiting == 1 {
			behind = "; 1 notification waits for it"
		}
	}
	if h.Coalescing {
		behind += ", coalesced by key"
	}
	switch {
	case busy > handlerStalled:
		return levelFailing, fmt.Sprintf("%s is stalled: a call has not returned for %s%s", handlerName(h), span(busy), behind)
	case busy > handlerSlow:
		return levelSlow, fmt.Sprintf("%s is slow: a call has run for %s%s", handlerName(h), span(busy), behind)
	case h.Waiting > 0 && waited > handlerSlow:
		return levelSlow, fmt.Sprintf("%s is behind by %s%s", handlerName(h), span(waited), behind)
	case h.Coalescing:
		return levelSlow, fmt.Sprintf("%s is so far behind that pending notifications are coalesced by key", handlerName(h))
	}
	return levelOff, ""
}
