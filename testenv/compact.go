package testenv

import (
	"context"
	"strconv"
)

// compactRevisionKey is the key with which API servers coordinate the compaction of etcd.
const compactRevisionKey = "compact_rev_key"

// Compact compacts etcd up to its current revision, which is returned. It does so like a second API server, so that the
// first notices. As API servers answer from caches, the effect is not immediate. Observed with v1.36:
//
//   - A list of an exact older version, or one that continues an older list, is answered with 410 Gone after up to 15
//     seconds: that is how often the API server checks.
//   - A watch from an older version is not affected as long as the watch cache has the events. [Env.RestartAPIServer]
//     empties that cache: from then on a watch from any version before the restart ends with 410, whether or not
//     anything was compacted.
//   - With "--watch-cache=false" in Config.APIServerArgs there are no caches, and 410 is immediate.
//
// So call Compact and RestartAPIServer, in this order, to make all older versions unavailable.
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
