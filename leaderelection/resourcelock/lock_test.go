package resourcelock

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	coordinationv1client "vedette.dev/kubernetes/typed/coordination/v1"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newLock(t *testing.T, server *apitest.Server, identity string) *LeaseLock {
	t.Helper()
	lock, err := NewFromKubeconfig(LeasesResourceLock, "default", "x", ResourceLockConfig{Identity: identity}, server.RESTConfig(), 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return lock.(*LeaseLock)
}

func TestLeaseLock(t *testing.T) {
	server := apitest.New(t, apitest.Config{InProcess: true})
	a, b := newLock(t, server, "a"), newLock(t, server, "b")
	a.Labels = map[string]string{"app": "a"}
	if a.Identity() != "a" || a.Describe() != "default/x" {
		t.Errorf("%s, %s", a.Identity(), a.Describe())
	}
	if _, _, err := a.Get(t.Context()); !apierrors.IsNotFound(err) {
		t.Errorf("Get: %v", err)
	}
	if err := a.Update(t.Context(), LeaderElectionRecord{}); err == nil || !strings.Contains(err.Error(), "before Get or Create") {
		t.Errorf("Update: %v", err)
	}
	now := metav1.NewTime(time.Now().Truncate(time.Microsecond))
	record := LeaderElectionRecord{HolderIdentity: "a", LeaseDurationSeconds: 15, AcquireTime: now, RenewTime: now, LeaderTransitions: 3}
	if err := a.Create(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	if err := b.Create(t.Context(), record); !apierrors.IsAlreadyExists(err) {
		t.Errorf("a second Create: %v", err)
	}
	got, raw, err := b.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !got.AcquireTime.Equal(&now) || !got.RenewTime.Equal(&now) || got.HolderIdentity != "a" || got.LeaseDurationSeconds != 15 || got.LeaderTransitions != 3 {
		t.Errorf("%+v, want %+v", got, record)
	}
	// Two renewals in one second differ.
	record.RenewTime = metav1.NewTime(now.Add(time.Microsecond))
	if err := a.Update(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	if err := b.Update(t.Context(), record); !apierrors.IsConflict(err) {
		t.Errorf("an Update at an old version: %v", err)
	}
	_, raw2, err := b.Get(t.Context())
	if err != nil || string(raw) == string(raw2) {
		t.Errorf("%s, and a microsecond later %s; %v", raw, raw2, err)
	}
	b.Labels = map[string]string{"by": "b"}
	if err := b.Update(t.Context(), record); err != nil {
		t.Fatal(err)
	}
	if l := b.lease.Labels; l["app"] != "a" || l["by"] != "b" {
		t.Errorf("labels %v", l)
	}
	if _, ok := a.Labels["by"]; ok {
		t.Error("a lock has got the labels of another")
	}
}

func TestConversions(t *testing.T) {
	if got := *LeaseSpecToLeaderElectionRecord(&coordinationv1.LeaseSpec{}); got != (LeaderElectionRecord{}) {
		t.Errorf("an empty Lease is %+v", got)
	}
	now := metav1.Now()
	for _, record := range []LeaderElectionRecord{
		{},
		{
			HolderIdentity: "a", LeaseDurationSeconds: 15, AcquireTime: now, RenewTime: now, LeaderTransitions: 3,
			Strategy: coordinationv1.OldestEmulationVersion, PreferredHolder: "b",
		},
	} {
		spec := LeaderElectionRecordToLeaseSpec(&record)
		if back := *LeaseSpecToLeaderElectionRecord(&spec); back != record {
			t.Errorf("%+v became %+v", record, back)
		}
	}
	spec := LeaderElectionRecordToLeaseSpec(&LeaderElectionRecord{LeaseDurationSeconds: math.MaxInt, LeaderTransitions: math.MinInt})
	if *spec.LeaseDurationSeconds != math.MaxInt32 || *spec.LeaseTransitions != math.MinInt32 {
		t.Errorf("%d, %d", *spec.LeaseDurationSeconds, *spec.LeaseTransitions)
	}
}

func TestNew(t *testing.T) {
	client := coordinationv1client.NewForConfigOrDie(&rest.Config{Host: "localhost"})
	for _, lockType := range []string{"endpoints", "configmaps", "endpointsleases", "configmapsleases", "", "pods"} {
		if _, err := New(lockType, "ns", "x", nil, client, ResourceLockConfig{}); err == nil || !strings.Contains(err.Error(), `use "leases"`) {
			t.Errorf("%q: %v", lockType, err)
		}
	}
	if _, err := New(LeasesResourceLock, "ns", "x", nil, nil, ResourceLockConfig{}); err == nil {
		t.Error("no error without a client")
	}
	lock, err := NewWithLabels(LeasesResourceLock, "ns", "x", nil, client, ResourceLockConfig{Identity: "a"}, map[string]string{"k": "v"})
	if err != nil || lock.Describe() != "ns/x" || lock.(*LeaseLock).Labels["k"] != "v" {
		t.Errorf("%v, %v", lock, err)
	}
	if _, err := NewFromKubeconfig(LeasesResourceLock, "ns", "x", ResourceLockConfig{}, nil, time.Second); err == nil {
		t.Error("no error without a configuration")
	}
	if _, err := NewFromKubeconfig(LeasesResourceLock, "ns", "x", ResourceLockConfig{}, &rest.Config{Host: "::"}, time.Second); err == nil {
		t.Error("no error with a wrong configuration")
	}
	// RecordEvent before there is a Lease, and without a recorder.
	lock.RecordEvent("did nothing")
}

func TestMultiLock(t *testing.T) {
	server := apitest.New(t, apitest.Config{InProcess: true})
	two := func(identity string) *MultiLock {
		m := &MultiLock{Primary: newLock(t, server, identity), Secondary: newLock(t, server, identity)}
		m.Secondary.(*LeaseLock).LeaseMeta.Name = "y"
		return m
	}
	a, b := two("a"), two("b")
	if err := a.Create(t.Context(), LeaderElectionRecord{HolderIdentity: "a", LeaseDurationSeconds: 1}); err != nil {
		t.Fatal(err)
	}
	record, _, err := b.Get(t.Context())
	if err != nil || record.HolderIdentity != "a" || b.Identity() != "b" || b.Describe() != "default/x" {
		t.Fatalf("%+v, %v", record, err)
	}
	record.HolderIdentity = "b"
	if err := b.Update(t.Context(), *record); err != nil {
		t.Fatal(err)
	}
	if err := a.Update(t.Context(), *record); !apierrors.IsConflict(err) {
		t.Errorf("an old Update: %v", err)
	}
	record.HolderIdentity = "c"
	if err := b.Secondary.Update(t.Context(), *record); err != nil {
		t.Fatal(err)
	}
	if record, _, err := a.Get(t.Context()); err != nil || record.HolderIdentity != UnknownLeader {
		t.Errorf("%+v, %v", record, errors.Unwrap(err))
	}
	a.RecordEvent("is lost")
}
