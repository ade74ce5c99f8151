//go:build !vedette_noconsole

package console

import (
	"fmt"
	"time"

	"vedette.dev/controller"
	"vedette.dev/workqueue"
)

// queuesData is the data of the queues view.
type queuesData struct {
	Name   string      `json:"name,omitempty"`
	Queues []queueData `json:"queues"`
	Now    time.Time   `json:"now"`
}

// queueData is one queue.
type queueData struct {
	Name       string            `json:"name"`
	Controller *controller.State `json:"controller,omitempty"`
	Level      level             `json:"level"`
	Stages     []stage           `json:"stages"`
	Known      bool              `json:"known"`
	Depth      int               `json:"depth"`
	InHand     int               `json:"inHand"`
	Delayed    int               `json:"delayed"`
	Queued     []queueKey        `json:"queued,omitempty"`
	Processing []queueKey        `json:"processing,omitempty"`
	Waiting    []queueKey        `json:"waiting,omitempty"`
	Rate       float64           `json:"-"`
	Tenants    bool              `json:"-"`
}

// queueKey is what a queue knows about a key.
type queueKey struct {
	Key             string    `json:"key"`
	QueuedSince     time.Time `json:"queuedSince,omitzero"`
	ProcessingSince time.Time `json:"processingSince,omitzero"`
	Due             time.Time `json:"due,omitzero"`
	Retries         int       `json:"retries,omitempty"`
	Priority        int       `json:"priority,omitempty"`
	Tenant          string    `json:"tenant,omitempty"`
	// Worker is the number of the worker that processes the key, zero if unknown: only controllers number their
	// workers.
	Worker int `json:"worker,omitempty"`
}

func newQueueKey(it workqueue.Item[string]) queueKey {
	return queueKey{
		Key: it.Key, QueuedSince: it.QueuedSince, ProcessingSince: it.ProcessingSince, Due: it.Due,
		Retries: it.Retries, Priority: it.Priority, Tenant: it.Tenant,
	}
}

// firstKeys returns the first keys of a list.
func firstKeys(items []workqueue.Item[string], limit int) []queueKey {
	var keys []queueKey
	for _, it := range first(items, limit) {
		keys = append(keys, newQueueKey(it))
	}
	return keys
}

// busyKeys returns the first keys that the workers of a controller process. They come from the controller, which knows
// the worker and is up to date; the rest comes from the last snapshot of the queue.
func busyKeys(busy []controller.Busy, s workqueue.Snapshot[string], limit int) []queueKey {
	said := map[string]queueKey{}
	for _, list := range [][]workqueue.Item[string]{s.Waiting, s.Queued, s.Processing} {
		for _, it := range list {
			said[it.Key] = newQueueKey(it)
		}
	}
	var keys []queueKey
	for _, b := range first(busy, limit) {
		of := said[b.Key]
		keys = append(keys, queueKey{
			Key: b.Key, ProcessingSince: b.Since, Worker: b.Worker, Retries: of.Retries, Priority: of.Priority, Tenant: of.Tenant,
		})
	}
	return keys
}

// The number of keys listed for each queue, if all queues are shown and if only one is.
const fewKeys, moreKeys = 8, 100

func (p *Page) queuesView(q query) (any, error) {
	now, before := p.sampler.look()
	d := &queuesData{Name: q.Get("name"), Now: time.Now()}
	limit := fewKeys
	if d.Name != "" {
		limit = moreKeys
	}
	for i := range now.works {
		w := &now.works[i]
		if d.Name == "" || d.Name == w.name {
			d.Queues = append(d.Queues, p.queueData(w, now, before, limit))
		}
	}
	if d.Name != "" && len(d.Queues) == 0 {
		return d, fmt.Errorf("unknown controller or queue %q: %w", d.Name, errNotFound)
	}
	return d, nil
}

func (p *Page) queueData(w *workReading, now, before *reading, limit int) queueData {
	var old *workReading
	var apart time.Duration
	if before != nil {
		old, apart = before.work(w.name), now.at.Sub(before.at)
	}
	t := workTail(w, old, now.at, apart)
	d := queueData{Name: w.name, Known: w.known, Depth: w.depth, InHand: w.processing, Delayed: w.delayed, Rate: t.Stages[1].Flow, Stages: t.Stages}
	for _, s := range t.Stages {
		d.Level = max(d.Level, s.Level)
	}
	if w.controller {
		d.Controller = &w.state
	}
	contents := p.sampler.reader.contents(w.name)
	d.Queued, d.Processing, d.Waiting = firstKeys(contents.Queued, limit), firstKeys(contents.Processing, limit), firstKeys(contents.Waiting, limit)
	if w.controller {
		d.Processing = busyKeys(w.state.Busy, contents, limit)
	}
	for _, it := range d.Queued {
		d.Tenants = d.Tenants || it.Tenant != ""
	}
	return d
}

// Rest returns the number of keys that are not listed.
func (d queueData) Rest(total int, listed []queueKey) int {
	return max(0, total-len(listed))
}

func first[T any](list []T, limit int) []T { return list[:min(limit, len(list))] }
