package cache

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	typed "vedette.dev/kubernetes/typed/core/v1"
)

// serverFault is a fault of the server, and what the state of an informer says about it.
type serverFault struct {
	faults []string
	cause  string
	// sees is how long it may take until the state tells.
	sees time.Duration
	// quiet says that the fault hits the watch that is under way, and the connection is not cut.
	quiet bool
	// forgets says that the server has forgotten the past, so that a watch cannot be resumed.
	forgets bool
}

// serverFaults is demand 5 of those who run operators.
var serverFaults = map[string]serverFault{
	"401":                 {faults: []string{"list,watch pods: 401"}, cause: "Unauthorized"},
	"403":                 {faults: []string{"list,watch pods: 403"}, cause: "forbidden"},
	"404":                 {faults: []string{"list,watch pods: 404"}, cause: "could not find"},
	"410 again and again": {faults: []string{"list pods: 410", "watch pods: end-410", "watch pods: 410"}, cause: "too old"},
	"429":                 {faults: []string{"list,watch pods: 429"}, cause: "many requests"},
	"500":                 {faults: []string{"list,watch pods: 500"}, cause: "leader"},
	"502":                 {faults: []string{"list,watch pods: 502"}, cause: "502"},
	"503":                 {faults: []string{"list,watch pods: 503"}, cause: "shutting down"},
	"no end of the initial events, and no list": {
		faults: []string{"watch pods: no-end-bookmark", "list pods: 500"}, cause: "bookmark", forgets: true},
	"watches that end at once":       {faults: []string{"watch pods: end"}, cause: "watch"},
	"an object that does not decode": {faults: []string{"list,watch pods name=odd: garbage"}, cause: "odd", quiet: true},
	"a broken conversion": {faults: []string{"list,watch pods: conversion-failed"}, cause: "conversion", forgets: true,
		sees: 15 * time.Second}, // a stream that brings nothing comes first, and the state says so
	"a proxy that cuts": {faults: []string{"list,watch pods: cut bytes=1"}, cause: "EOF"},
}

func TestEveryFaultIsSeenStopsNobodyElseAndIsOvercome(t *testing.T) {
	for name, fault := range serverFaults {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newFaultCase(t, apitest.Config{InMemory: true})
				c.suffer(fault)
			})
		})
	}
}

// It takes real time, since the machine's network is part of it.
func TestAHalfOpenConnectionIsSeenWithinThreeQuartersOfAMinute(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	t.Parallel()
	c := newFaultCase(t, apitest.Config{})
	c.inject("watch pods: silence times=1")
	c.told("connection lost", 45*time.Second)
	version := c.change("odd")
	c.within(5*time.Second, "it is overcome", func() error {
		if err := has(c.pods, "default/odd", version); err != nil {
			return err
		}
		return StateOf(c.pods).Err()
	})
}

// faultCase is an informer of pods, whose requests fail, and one of config maps, whose requests do not.
type faultCase struct {
	t          *testing.T
	server     *apitest.Server
	pods, maps SharedIndexInformer
	lines      atomic.Int64
}

func newFaultCase(t *testing.T, config apitest.Config) *faultCase {
	c := &faultCase{t: t, server: apitest.New(t, config)}
	for _, name := range []string{"odd", "even"} {
		_, err := c.server.Create(t.Context(), c.pod(name))
		mustNot(t, err)
	}
	c.pods = c.start("pods", &corev1.Pod{})
	c.maps = c.start("configmaps", &corev1.ConfigMap{})
	c.within(5*time.Second, "both are synced", func() error {
		if err := StateOf(c.maps).Err(); err != nil {
			return err
		}
		return StateOf(c.pods).Err()
	})
	return c
}

func (c *faultCase) pod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
}

// start starts an informer with connections of its own, which ends with the test.
func (c *faultCase) start(resource string, example apiObject) SharedIndexInformer {
	config := c.server.RESTConfig()
	if config.Dial == nil {
		config.Dial = new(net.Dialer).DialContext // another function, and with it other connections
	}
	client, err := typed.NewForConfig(config)
	mustNot(c.t, err)
	logger := funcr.New(func(_, line string) { c.lines.Add(1); c.t.Log(resource, line) }, funcr.Options{})
	i := newStoredInformer(NewListWatchFromClient(client.RESTClient(), resource, "", nil), example,
		SharedIndexInformerOptions{Logger: &logger})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); i.RunWithContext(ctx) }()
	c.t.Cleanup(func() {
		cancel()
		<-ended
	})
	return i
}

// suffer has the requests for pods fail for a while.
func (c *faultCase) suffer(fault serverFault) {
	t := c.t
	c.lines.Store(0)
	remove := c.inject(fault.faults...)
	if fault.forgets { // before the reflector is back
		c.server.RefuseConnections()
	}
	if !fault.quiet {
		c.server.CutConnections()
	}
	version := c.change("odd")
	if fault.forgets {
		c.server.Compact()
		mustNot(t, c.server.AcceptConnections())
	}
	c.told(fault.cause, cmp.Or(fault.sees, 10*time.Second))
	_, err := c.server.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "new"}})
	mustNot(t, err)
	c.within(5*time.Second, "the other goes on", func() error { return has(c.maps, "default/new", "") })
	time.Sleep(30 * time.Second)

	remove()
	c.within(5*time.Second, "it is overcome", func() error {
		if err := has(c.pods, "default/odd", version); err != nil {
			return err
		}
		return StateOf(c.pods).Err()
	})
	if lines := c.lines.Load(); lines > 40 {
		t.Errorf("%d lines were logged", lines)
	}
}

// inject makes faults until remove is called.
func (c *faultCase) inject(texts ...string) (remove func()) {
	var injected []*apitest.Injection
	for _, text := range texts {
		fault, err := apitest.ParseFault(text)
		mustNot(c.t, err)
		injection, err := c.server.Inject(fault)
		mustNot(c.t, err)
		injected = append(injected, injection)
	}
	return func() {
		for _, injection := range injected {
			injection.Remove()
		}
	}
}

// change changes a pod and returns its version.
func (c *faultCase) change(name string) string {
	obj, err := c.server.Get(c.t.Context(), corev1.SchemeGroupVersion.WithResource("pods"), "default", name)
	mustNot(c.t, err)
	obj.(*corev1.Pod).Labels = map[string]string{"changed": "yes"}
	obj, err = c.server.Update(c.t.Context(), obj)
	mustNot(c.t, err)
	return obj.(*corev1.Pod).ResourceVersion
}

// told waits until the state tells what is wrong.
func (c *faultCase) told(cause string, limit time.Duration) {
	c.t.Helper()
	c.within(limit, "the state tells", func() error {
		state := StateOf(c.pods)
		said := ""
		if state.Cause != nil {
			said = state.Cause.Error()
		}
		if state.LastUndecodable != nil {
			said += state.LastUndecodable.Error()
		}
		if said == "" || !strings.Contains(said, cause) {
			return fmt.Errorf("%q, want %q in it; state %+v", said, cause, state)
		}
		return nil
	})
}

func has(i SharedIndexInformer, key, version string) error {
	obj, ok, _ := i.GetStore().GetByKey(key)
	if !ok {
		return fmt.Errorf("%s is not in the store; state %+v", key, StateOf(i))
	}
	if got := obj.(apiObject).GetResourceVersion(); version != "" && got != version {
		return fmt.Errorf("%s is at %s, want %s; state %+v", key, got, version, StateOf(i))
	}
	return nil
}

// within fails if something is not so in time.
func (c *faultCase) within(limit time.Duration, what string, check func() error) {
	c.t.Helper()
	deadline := time.Now().Add(limit)
	var err error
	for !time.Now().After(deadline) {
		if err = check(); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.t.Fatalf("%s: not within %v: %v", what, limit, err)
}
