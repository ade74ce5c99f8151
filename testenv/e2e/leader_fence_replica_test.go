//go:build unix

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/controller"
	"vedette.dev/fence"
	"vedette.dev/kubernetes"
	"vedette.dev/leaderelection"
	"vedette.dev/rest"
	"vedette.dev/runner"
)

const (
	fencedLease = time.Second
	fencedRenew = 600 * time.Millisecond
	fencedRetry = 150 * time.Millisecond
	// fencedVariable makes the test binary a replica.
	fencedVariable = "VEDETTE_E2E_FENCED_REPLICA"
)

// fencedMaps are what a leader writes to: the first with contexts that know nothing of the term, so that the gate alone can stop it,
// the second with contexts that are derived from that of the reconcile.
var fencedMaps = []string{historyName, historyName + "-context"}

// TestFencedReplica is not a test but a replica for TestNoWriteAfterTheTerm.
func TestFencedReplica(t *testing.T) {
	setup := setupOfReplica(t, fencedVariable, "TestNoWriteAfterTheTerm")
	for {
		fmt.Println("RUN", (&fencedReplica{setup: setup}).run())
	}
}

type fencedReplica struct {
	setup  replicaSetup
	client kubernetes.Interface
}

func (r *fencedReplica) run() error {
	gate := new(fence.Gate)
	config := &rest.Config{
		Host: r.setup.Host, BearerToken: r.setup.Token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: r.setup.CA, ServerName: "127.0.0.1"},
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return stamps{next} })
	config.Wrap(gate.Wrap)
	r.client = kubernetes.NewForConfigOrDie(config)
	c, err := controller.New(controller.Config[string]{
		Name:      "writer",
		Sources:   []controller.Source[string]{controller.Every("start", time.Hour, func() []string { return []string{"work"} })},
		Reconcile: r.reconcile,
	})
	if err != nil {
		return err
	}
	return runner.Run(context.Background(), runner.Config{
		RESTConfig: config, Gate: gate, Controllers: []runner.Controller{c},
		Options: runner.Options{
			LeaderElect: true, LeaderElectResourceName: "election", LeaderElectResourceNamespace: r.setup.Namespace,
			LeaderElectLeaseDuration: fencedLease, LeaderElectRenewDeadline: fencedRenew, LeaderElectRetryPeriod: fencedRetry,
		},
	})
}

func (r *fencedReplica) reconcile(ctx context.Context, _ string) (controller.Result, error) {
	number, ok := leaderelection.Term(ctx)
	if !ok {
		return controller.Result{}, errors.New("no term")
	}
	done := ctx.Done() // which is not asked again
	var writers sync.WaitGroup
	for i, name := range fencedMaps {
		writers.Go(func() {
			w := fencedWriter{maps: r.client, namespace: r.setup.Namespace, name: name, data: map[string]string{"writer": r.setup.Name, "term": strconv.Itoa(number)}}
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				case <-time.After(25 * time.Millisecond):
				}
				parent := context.Background()
				if i == 1 {
					parent = ctx
				}
				one, cancel := context.WithTimeout(parent, fencedRenew)
				w.write(one, n)
				cancel()
			}
		})
	}
	writers.Wait()
	return controller.Result{}, nil
}

// fencedWriter writes a sequence, each time at the version that it wrote last: a write that was sent in time and arrives late is refused.
type fencedWriter struct {
	maps            kubernetes.Interface
	namespace, name string
	data            map[string]string
	object          *corev1.ConfigMap
}

func (w *fencedWriter) write(ctx context.Context, n int) {
	maps, err := w.maps.CoreV1().ConfigMaps(w.namespace), error(nil)
	if w.object == nil {
		if w.object, err = maps.Get(ctx, w.name, metav1.GetOptions{}); err != nil {
			w.object = nil
			return
		}
	}
	w.object.Data = map[string]string{"n": strconv.Itoa(n), "writer": w.data["writer"], "term": w.data["term"]}
	ctx = context.WithValue(ctx, stampKey{}, w.name+" "+w.data["term"])
	if w.object, err = maps.Update(ctx, w.object, metav1.UpdateOptions{}); err != nil {
		w.object = nil
	}
}

type stampKey struct{}

// stamps prints when requests that write were sent, below the gate, and what became of them:
//
//	LEASE time status
//	WRITE time status map term
//
// The status is 0 if there was no answer, and -1 if the request was refused below this layer for the end of the term.
type stamps struct{ next http.RoundTripper }

func (s stamps) RoundTrip(req *http.Request) (*http.Response, error) {
	lease := strings.Contains(req.URL.Path, "/leases") && req.Method != http.MethodGet && heldBy(req)
	write, _ := req.Context().Value(stampKey{}).(string)
	sent := time.Now().UnixNano()
	resp, err := s.next.RoundTrip(req)
	status := 0
	switch {
	case err == nil:
		status = resp.StatusCode
	case errors.Is(err, fence.ErrTermOver):
		status = -1
	}
	switch {
	case lease:
		fmt.Println("LEASE", sent, status)
	case write != "":
		fmt.Println("WRITE", sent, status, write)
	}
	return resp, err
}

// heldBy reports whether a Lease is written with a holder, and not given back.
func heldBy(req *http.Request) bool {
	host, err := os.Hostname()
	if err != nil || req.GetBody == nil {
		return false
	}
	body, err := req.GetBody()
	if err != nil {
		return false
	}
	text, err := io.ReadAll(body)
	return err == nil && bytes.Contains(text, []byte(host+"_"))
}
