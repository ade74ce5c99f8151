package testenv

import (
	"context"
	"strconv"
)

// compactRevisionKey is where API servers tell each other up to which revision one of them has compacted etcd.
const compactRevisionKey = "compact_rev_key"

// Compact makes etcd forget all versions older than its current one, which is returned. It does so in the way of a second
// API server, so that the first hears of it. As API servers answer from caches, this does not show at once. What was found
// with v1.36:
//
//   - A list of an exact older version, or one that continues an older list, is answered with 410 Gone from up to 15
//     seconds later: that is how often the API server looks.
//   - A watch from an older version goes on as if nothing had happened, as long as the watch cache remembers the events.
//     [Env.RestartAPIServer] empties that cache: from then on a watch from any version before the restart ends with 410,
//     whether or not anything was compacted.
//   - With "--watch-cache=false" in Config.APIServerArgs there are no caches, and 410 is the answer at once.
//
// So call Compact and RestartAPIServer, in this order, to have all that a client remembers refused.
func (e *Env) Compact(ctx context.Context) (revision int64, err error) {
	var now struct {
		Header struct {
			Revision int64 `json:"revision,string"`
		} `json:"header"`
	}
	key := []byte(compactRevisionKey)
	if err := e.askEtcd(ctx, "kv/range", map[string]any{"key": key}, &now); err != nil {
		return 0, err
	}
	revision = now.Header.Revision
	value := []byte(strconv.FormatInt(revision, 10))
	if err := e.askEtcd(ctx, "kv/put", map[string]any{"key": key, "value": value}, &struct{}{}); err != nil {
		return 0, err
	}
	return revision, e.askEtcd(ctx, "kv/compaction", map[string]any{"revision": revision, "physical": true}, &struct{}{})
}
