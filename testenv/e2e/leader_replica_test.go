//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/leaderelection"
	"vedette.dev/leaderelection/resourcelock"
	"vedette.dev/rest"
)

const (
	leaderLease = 4 * time.Second
	historyName = "history"
	// replicaVariable makes the test binary a replica.
	replicaVariable = "VEDETTE_E2E_REPLICA"
)

// replicaSetup is what a replica needs to know.
type replicaSetup struct {
	Host, Token     string
	CA              []byte
	Namespace, Name string
}

// setupOfReplica returns the setup that an environment variable has for a replica, which ends with the process that started it. Without
// the variable this is not a replica but a test run, and the test is skipped.
func setupOfReplica(t *testing.T, variable, test string) (setup replicaSetup) {
	text := os.Getenv(variable)
	if text == "" {
		t.Skip(test + " runs this")
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	if err := json.Unmarshal([]byte(text), &setup); err != nil {
		t.Fatal(err)
	}
	return setup
}

// TestLeaderReplica is not a test but a replica for TestLeaderElection.
func TestLeaderReplica(t *testing.T) {
	setup := setupOfReplica(t, replicaVariable, "TestLeaderElection")
	config := &rest.Config{
		Host: setup.Host, BearerToken: setup.Token, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAData: setup.CA, ServerName: "127.0.0.1"},
	}
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, setup.Namespace, "election",
		resourcelock.ResourceLockConfig{Identity: setup.Name}, config, leaderLease*3/4)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	client := kubernetes.NewForConfigOrDie(config)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: leaderLease, RenewDeadline: leaderLease * 3 / 4, RetryPeriod: leaderLease / 8, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { writeHistory(ctx, client, setup) },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for ctx.Err() == nil {
		elector.Run(ctx)
	}
	os.Exit(0)
}

// writeHistory writes twenty times a second, with nothing but its context to tell it when to stop. A write is for the version that it
// read or wrote last, so that one that was sent in time and arrives late is refused. It then reads again, as controllers do.
func writeHistory(ctx context.Context, client kubernetes.Interface, setup replicaSetup) {
	number, _ := leaderelection.Term(ctx)
	maps := client.CoreV1().ConfigMaps(setup.Namespace)
	var object *corev1.ConfigMap
	for n := 0; ctx.Err() == nil; n++ {
		var err error
		if object == nil {
			object, err = maps.Get(ctx, historyName, metav1.GetOptions{})
		} else {
			object.Data = map[string]string{"writer": setup.Name, "term": strconv.Itoa(number), "n": strconv.Itoa(n)}
			object, err = maps.Update(ctx, object, metav1.UpdateOptions{})
		}
		if err != nil {
			object = nil
			if apierrors.IsConflict(err) {
				fmt.Println("refused:", err)
			}
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}
