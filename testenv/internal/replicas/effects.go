package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"vedette.dev/internal/shardhistory"
	"vedette.dev/kubernetes/scheme"
)

// effects reads every version of every object from etcd, which keeps them in one order, whatever becomes of the API server.
type effects struct {
	log *shardhistory.Log
	// leases and maps count the versions of the leases and of the map, and tasks those that replicas have written.
	leases, maps, tasks atomic.Int64

	mu       sync.Mutex
	ofLeases map[string]int64 // by name
}

// leasesOf returns the number of versions of the lease of a member.
func (e *effects) leasesOf(member string) int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ofLeases[member]
}

// etcdResponse is a part of the answer to a watch.
type etcdResponse struct {
	Result struct {
		Created, Canceled bool
		Events            []struct {
			Type string
			KV   struct {
				Key, Value  []byte
				ModRevision string `json:"mod_revision"`
			}
		}
	}
	Error json.RawMessage
}

// watch reads until ctx ends. It calls ready when nothing is missed from then on.
func (e *effects) watch(ctx context.Context, etcd string, ready func()) error {
	body, err := json.Marshal(map[string]any{"create_request": map[string]any{"key": []byte("/registry/"), "range_end": []byte("/registry0")}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, etcd+"/v3/watch", bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	for decoder := json.NewDecoder(resp.Body); ; {
		var r etcdResponse
		err := decoder.Decode(&r)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("the watch of etcd: %w", err)
		case len(r.Error) > 0 || r.Result.Canceled:
			return fmt.Errorf("the watch of etcd has ended: %s", r.Error)
		case r.Result.Created:
			ready()
		}
		now := time.Now()
		for _, event := range r.Result.Events {
			if err := e.see(string(event.KV.Key), event.KV.Value, event.KV.ModRevision, now); err != nil {
				return err
			}
		}
	}
}

// see takes a version of an object. The value is empty if it was deleted.
func (e *effects) see(key string, value []byte, version string, now time.Time) error {
	kind, name, _ := strings.Cut(strings.TrimPrefix(key, "/registry/"), "/")
	if kind != "leases" && kind != "configmaps" {
		return nil
	}
	if len(value) == 0 {
		e.log.Wanted(name, "", now)
		return nil
	}
	obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(value, nil, nil)
	if err != nil {
		return fmt.Errorf("%s in etcd: %w", key, err)
	}
	switch obj := obj.(type) {
	case *coordinationv1.Lease:
		if _, ok := obj.Labels["vedette.dev/shard-group"]; ok {
			e.leases.Add(1)
			e.mu.Lock()
			if e.ofLeases == nil {
				e.ofLeases = map[string]int64{}
			}
			e.ofLeases[obj.Name]++
			e.mu.Unlock()
		}
	case *corev1.ConfigMap:
		if _, ok := obj.Labels[taskLabel]; !ok {
			if _, ok := obj.Data["map"]; ok {
				e.maps.Add(1)
			}
			return nil
		}
		epoch, _ := strconv.ParseInt(obj.Data[epochKey], 10, 64)
		e.log.Write(shardhistory.Write{Object: name + " " + string(obj.UID), Version: version, Epoch: epoch})
		if want, have := obj.Data[wantKey], obj.Data[haveKey]; want != have {
			e.log.Wanted(name, want, now)
		} else {
			e.tasks.Add(1)
			e.log.Done(name, have, now)
		}
	}
	return nil
}
