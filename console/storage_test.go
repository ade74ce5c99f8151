//go:build !vedette_noconsole

package console

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vedette.dev/cache"
	"vedette.dev/internal/advice"
)

// packedReader is an informer with packed storage, which is listed too often.
type packedReader struct{ since time.Time }

func (r packedReader) State() cache.State {
	return cache.State{Name: "pods", Type: "*v1.Pod", Phase: cache.PhaseWatching, Synced: true, Objects: 10_000, Storage: cache.StorageState{
		Packed: true, Since: r.since, Encoding: "protobuf", ObjectBytes: 6700, PackedBytes: 9 << 20, Lists: 3600,
		Decodes: []cache.DecodeState{{Use: "get", Objects: 60}, {Use: "list", Objects: 36_000_000, Time: 20 * time.Minute}},
		Callers: []cache.DecodeCaller{
			{Function: "example.com/shop/controllers.(*Quota).<all>", Line: "quota.go:42", Use: "list", Objects: 35_000_000},
			{Use: "list", Objects: 1_000_000},
		},
	}}
}

func (r packedReader) Informers() map[string]cache.StateReader {
	return map[string]cache.StateReader{"pods": r}
}

func TestTheListerThatMakesPackedStorageExpensive(t *testing.T) {
	page := Handler(Config{Informers: []Informers{packedReader{time.Now().Add(-time.Hour)}}})
	text := want(t, page, "informer?name=pods", `data-use="list"`, "36,000,000", "controllers.(*Quota).&lt;all&gt;", "quota.go:42", "97 %", "(others)",
		"▲ live", "33 % of a core", "IndexByField", "9.44 MB")
	if strings.Contains(text, "<all>") {
		t.Error("the name of a function is not escaped")
	}
	want(t, page, "storage", "▲ live", "packed", "IndexByField")
	var found struct{ Kinds []storageKind }
	if err := json.Unmarshal([]byte(want(t, page, "storage?format=json")), &found); err != nil || len(found.Kinds) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if k := found.Kinds[0]; k.Advice.Storage != advice.Live || len(k.Callers) != 2 || k.Callers[0].Line != "quota.go:42" || k.HeldBytes != 9<<20 {
		t.Errorf("%+v", k)
	}
	want(t, Handler(Config{}), "storage?format=json", `"kinds": []`)
	want(t, Handler(Config{}), "storage", "no informers")
}
