package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/cache"
)

// handlerFamilies have one series per handler of an informer. Several handlers may have the same type, such as one of
// package cache, so the number of the handler is a label too.
var handlerFamilies = []family[cache.HandlerState]{
	handlerGauge("waiting", "Number of notifications pending for the handler.",
		func(h *cache.HandlerState, _ time.Time) float64 { return float64(h.Waiting) }),
	handlerGauge("waiting_age_seconds", "Age of the oldest pending notification, 0 if there is none.",
		func(h *cache.HandlerState, now time.Time) float64 { return age(h.Oldest, now) }),
	handlerGauge("busy_seconds", "Duration of the handler's current call, 0 if there is none.",
		func(h *cache.HandlerState, now time.Time) float64 { return age(h.Busy, now) }),
	handlerGauge("synced", "1 if the handler has been called for every object that existed when it was added.",
		func(h *cache.HandlerState, _ time.Time) float64 { return truth(h.Synced) }),
	handlerGauge("coalescing", "1 if the handler is so far behind that pending notifications are coalesced by key.",
		func(h *cache.HandlerState, _ time.Time) float64 { return truth(h.Coalescing) }),
	handlerCounter("coalesced_total", "Number of notifications coalesced with another one of the same key.",
		func(h *cache.HandlerState, _ time.Time) float64 { return float64(h.Coalesced) }),
	handlerCounter("handled_total", "Number of calls of the handler that have returned.",
		func(h *cache.HandlerState, _ time.Time) float64 { return float64(h.Handled) }),
	handlerCounter("panics_total", "Number of calls of the handler that panicked.",
		func(h *cache.HandlerState, _ time.Time) float64 { return float64(h.Panics) }),
}

func handlerGauge(name, help string, read func(*cache.HandlerState, time.Time) float64) family[cache.HandlerState] {
	return family[cache.HandlerState]{informerDesc("handler_"+name, help, "handler", "number"), prometheus.GaugeValue, read}
}

func handlerCounter(name, help string, read func(*cache.HandlerState, time.Time) float64) family[cache.HandlerState] {
	return family[cache.HandlerState]{informerDesc("handler_"+name, help, "handler", "number"), prometheus.CounterValue, read}
}
