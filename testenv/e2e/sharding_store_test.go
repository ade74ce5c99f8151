package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/testenv"
)

// store writes objects where the API server keeps them. That is quicker than to create them, and says which UIDs they have: with
// UIDs from the server, 20,000 objects fall into eight ranges so unevenly that one has more than 1.05 times the mean in three
// of a hundred runs.
type store struct {
	t      testing.TB
	url    string
	client *http.Client
	codec  *protobuf.Serializer
}

// storeWriters is how many write at the same time.
const storeWriters = 8

func newStore(t testing.TB, env *testenv.Env) *store {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: storeWriters}
	t.Cleanup(transport.CloseIdleConnections)
	return &store{t, env.EtcdURL(), &http.Client{Transport: transport}, protobuf.NewSerializer(scheme, scheme)}
}

// put writes objects of a built-in kind, one by one: each has a version of its own, as API servers have it.
func (s *store) put(resource string, objects ...runtime.Object) {
	s.t.Helper()
	next := make(chan runtime.Object)
	var writers sync.WaitGroup
	for range storeWriters {
		writers.Go(func() {
			for obj := range next {
				if err := s.putOne(resource, obj); err != nil {
					s.t.Error(err)
				}
			}
		})
	}
	for _, obj := range objects {
		next <- obj
	}
	close(next)
	writers.Wait()
	if s.t.Failed() {
		s.t.FailNow()
	}
}

func (s *store) putOne(resource string, obj runtime.Object) error {
	var b bytes.Buffer
	if err := s.codec.Encode(obj, &b); err != nil {
		return err
	}
	m := obj.(metav1.Object)
	return s.ask("kv/put", map[string]any{"key": storeKey(resource, m.GetNamespace(), m.GetName()), "value": b.Bytes()})
}

func storeKey(resource, namespace, name string) []byte {
	return []byte("/registry/" + resource + "/" + namespace + "/" + name)
}

// remove deletes an object, if it is there.
func (s *store) remove(resource, namespace, name string) {
	s.t.Helper()
	if err := s.ask("kv/deleterange", map[string]any{"key": storeKey(resource, namespace, name)}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *store) ask(method string, question any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	response, err := s.client.Post(s.url+"/v3/"+method, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd answers with %s: %s %w", response.Status, answer, err)
	}
	return nil
}

// uidSeries makes UIDs as the API server does, the same ones in each run.
type uidSeries struct{ *rand.ChaCha8 }

func newUIDs(seed byte) uidSeries { return uidSeries{rand.NewChaCha8([32]byte{seed})} }

func (u uidSeries) next() types.UID {
	var b [16]byte
	_, _ = u.Read(b[:]) // which never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}
