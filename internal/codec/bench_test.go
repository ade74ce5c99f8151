//go:build unix

package codec

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"

	"vedette.dev/internal/wire/cborread"
	"vedette.dev/rest"
)

// customResource is an object such as operators have: 1.5 kB of JSON, much of it managed fields.
func customResource(r *rand.Rand, i int) *unstructured.Unstructured {
	name := fmt.Sprintf("widget-%x-%05d", i/10, i)
	parts := []any{}
	for k := range 3 {
		parts = append(parts, map[string]any{
			"name": fmt.Sprint("part-", k), "image": "registry.example.com/team/image:v1.2.3", "size": int64(k), "enabled": true,
			"resources": map[string]any{"cpu": "100m", "memory": "128Mi"}, "args": []any{"--level=2", "--name=" + name},
		})
	}
	now := time.Unix(1700000000+r.Int64N(1e6), 0).UTC().Format(time.RFC3339)
	fields := map[string]any{"f:spec": map[string]any{".": map[string]any{}, "f:parts": map[string]any{
		".":                   map[string]any{},
		`k:{"name":"part-0"}`: map[string]any{".": map[string]any{}, "f:image": map[string]any{}, "f:size": map[string]any{}, "f:resources": map[string]any{}},
		`k:{"name":"part-1"}`: map[string]any{".": map[string]any{}, "f:image": map[string]any{}, "f:size": map[string]any{}, "f:resources": map[string]any{}},
	}, "f:replicas": map[string]any{}}}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{
			"name": name, "namespace": fmt.Sprint("team-", i%50), "uid": fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Uint64N(1<<48)),
			"resourceVersion": fmt.Sprint(100000 + i), "generation": r.Int64N(9), "creationTimestamp": now,
			"labels":        map[string]any{"app.kubernetes.io/name": "widget", "app.kubernetes.io/instance": fmt.Sprint("set-", i/10), "tier": "front"},
			"annotations":   map[string]any{"example.com/owner": fmt.Sprint("user-", r.IntN(100)), "example.com/checksum": fmt.Sprintf("%016x", r.Uint64())},
			"managedFields": []any{map[string]any{"manager": "operator", "operation": "Update", "apiVersion": "example.com/v1", "time": now, "fieldsType": "FieldsV1", "fieldsV1": fields}},
		},
		"spec":   map[string]any{"replicas": r.Int64N(5), "parts": parts, "paused": false, "ratio": 0.75},
		"status": map[string]any{"ready": r.Int64N(5), "conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "AllPartsReady", "lastTransitionTime": now}}},
	}}
}

// listBody is the body of a list, as a server writes it.
func listBody(b *testing.B, encoding rest.Encoding, n int) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	var body bytes.Buffer
	if encoding == rest.CBOR {
		head, _ := direct.Marshal(make([]any, n))
		body.WriteString("\xd9\xd9\xf7\xa4\x44kind\x4aWidgetList\x4aapiVersion\x4eexample.com/v1\x48metadata\xa1\x4fresourceVersion\x419\x45items")
		body.Write(head[:len(head)-n])
	} else {
		body.WriteString(`{"apiVersion":"example.com/v1","items":[`)
	}
	for i := range n {
		if i > 0 && encoding == rest.JSON {
			body.WriteByte(',')
		}
		body.Write(bytes.TrimPrefix(rawIn(b, encoding, customResource(r, i)).Bytes, []byte("\xd9\xd9\xf7")))
	}
	if encoding == rest.JSON {
		body.WriteString(`],"kind":"WidgetList","metadata":{"resourceVersion":"9"}}`)
	}
	return body.Bytes()
}

// load is what an informer does with a list, but for its store.
func load(b *testing.B, c *Codec, encoding rest.Encoding, body []byte) []any {
	contentType := map[rest.Encoding]string{rest.JSON: "application/json", rest.CBOR: "application/cbor"}[encoding]
	items, err := rest.ItemsOf(&http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(bytes.NewReader(body))})
	if err != nil {
		b.Fatal(err)
	}
	var out []any
	for raw, err := range items.All() {
		if err != nil {
			b.Fatal(err)
		}
		obj, err := c.Load(raw, nil)
		if err != nil {
			b.Fatal(err)
		}
		Compress(obj)
		out = append(out, obj)
	}
	return out
}

// clean frees what is not in use, pools included.
func clean() {
	for range 3 {
		runtime.GC()
	}
}

// cpuTime is what the process has used of the processors.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkList loads 10,000 unstructured custom resources, and measures what they occupy then.
func BenchmarkList(b *testing.B) {
	const objects = 10000
	for _, encoding := range []rest.Encoding{rest.JSON, rest.CBOR} {
		body := listBody(b, encoding, objects)
		for name, config := range map[string]Config{"live": {}, "shared": {Shared: true}, "packed": {Packed: true}} {
			config.Example = &unstructured.Unstructured{}
			b.Run(fmt.Sprintf("%s/%s", name, encoding), func(b *testing.B) {
				b.ReportAllocs()
				began, loops := cpuTime(b), 0
				for b.Loop() {
					load(b, New(config), encoding, body)
					loops++
				}
				b.ReportMetric(float64((cpuTime(b)-began).Milliseconds())/float64(loops), "cpu-ms/op")
				var before, after runtime.MemStats
				clean()
				runtime.ReadMemStats(&before)
				c := New(config)
				kept := load(b, c, encoding, body)
				clean()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/objects, "heap-B/object")
				b.ReportMetric(float64(len(body))/objects, "wire-B/object")
				runtime.KeepAlive(kept)
				runtime.KeepAlive(c)
			})
		}
	}
}

// BenchmarkNext loads the next state of an object.
func BenchmarkNext(b *testing.B) {
	for _, encoding := range []rest.Encoding{rest.JSON, rest.CBOR} {
		b.Run(encoding.String(), func(b *testing.B) {
			u := customResource(rand.New(rand.NewPCG(1, 1)), 1)
			c := New(Config{Example: u})
			last, err := c.Load(rawIn(b, encoding, u), nil)
			if err != nil {
				b.Fatal(err)
			}
			u.SetResourceVersion("9")
			raw := rawIn(b, encoding, u)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Load(&rest.Raw{Encoding: encoding, Bytes: raw.Bytes}, last); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("CBOR, decoded only", func(b *testing.B) {
		data := rawIn(b, rest.CBOR, customResource(rand.New(rand.NewPCG(1, 1)), 1)).Bytes
		b.ReportAllocs()
		for b.Loop() {
			if _, err := cborread.Map(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
