package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/cache"
)

// handlerFamilies are those that have one series a handler of an informer. The type of a handler says little where it is
// one of package cache, and several may have the same, so its number is a label too.
var handlerFamilies = []family[cache.HandlerState]{
	handlerGauge("waiting", "How many notifications wait for the handler.",
		func(h *cache.HandlerState, _ time.Time) float64 { return float64(h.Waiting) }),
	handlerGauge("waiting_age_seconds", "How long the first of them has waited, 0 if there is none.",
		func(h *cache.HandlerState, now time.Time) float64 { return age(h.Oldest, now) }),
	handlerGauge("busy_seconds", "For how long the present call of the handler has run, 0 if none runs.",
		func(h *cache.HandlerState, now time.Time) float64 { return age(h.Busy, now) }),
	handlerGauge("synced", "1 if the handler has heard of everything that was there when it was added.",
		func(h *cache.HandlerState, _ time.Time) float64 { return truth(h.Synced) }),
	handlerGauge("merging", "1 if the handler is so far behind that what waits for it is kept by key.",
		func(h *cache.HandlerState, _ time.Time) float64 { return truth(h.Merging) }),
	handlerCounter("merged_total", "How many notifications were merged with another of the same key.",
		func(h *cache.HandlerState, _ time.Time) float64 { return float64(h.Merged) }),
	handlerCounter("handled_total", "How many calls of the handler have returned.",
		func(h *cache.HandlerState, _ time.Time) float64 { return float64(h.Handled) }),
	handlerCounter("panics_total", "How many calls of the handler ended in a panic.",
		func(h *cache.HandlerState, _ time.Time) float64 { return float64(h.Panics) }),
}

func handlerGauge(name, help string, read func(*cache.HandlerState, time.Time) float64) family[cache.HandlerState] {
	return family[cache.HandlerState]{informerDesc("handler_"+name, help, "handler", "number"), prometheus.GaugeValue, read}
}

func handlerCounter(name, help string, read func(*cache.HandlerState, time.Time) float64) family[cache.HandlerState] {
	return family[cache.HandlerState]{informerDesc("handler_"+name, help, "handler", "number"), prometheus.CounterValue, read}
}
