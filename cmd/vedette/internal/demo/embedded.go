package demo

import (
	"context"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/internal/sites"
	"vedette.dev/kubernetes"
	"vedette.dev/shard"
)

// embedded is a server in this process: pods, deployments and nodes change as in a cluster of some size.
type embedded struct {
	config *Config
	server *apitest.Server
	is     *setting

	mu       sync.Mutex
	churners []*apitest.Churner
}

var (
	pods        = corev1.SchemeGroupVersion.WithResource("pods")
	deployments = appsv1.SchemeGroupVersion.WithResource("deployments")
	nodes       = corev1.SchemeGroupVersion.WithResource("nodes")
)

func newEmbedded(config *Config) (world, error) {
	s := &setting{
		rest: config.Server.RESTConfig(), kind: sites.Resource(sites.Group), kinds: []schema.GroupVersionResource{pods, deployments, nodes},
		example: &corev1.Pod{}, shards: shard.Hash(shard.ByNamespace(), config.Shards),
	}
	if err := s.connect("default"); err != nil {
		return nil, err
	}
	return &embedded{config: config, server: config.Server, is: s}, nil
}

// connect creates the clients, with sites in a namespace.
func (s *setting) connect(namespace string) (err error) {
	if s.client, err = kubernetes.NewForConfig(s.rest); err != nil {
		return err
	}
	all, err := gentype.NewForConfig[sites.Site](s.rest, s.kind)
	if err != nil {
		return err
	}
	s.sites = all.In(namespace)
	return nil
}

func (e *embedded) setting() *setting { return e.is }

func (e *embedded) fill(ctx context.Context) error {
	client, err := dynamic.NewForConfig(e.is.rest)
	if err != nil {
		return err
	}
	if err := sites.Install(ctx, client, e.is.kind); err != nil {
		return err
	}
	// There are more namespaces than shards, so that these can be balanced.
	loads := []apitest.Load{
		{Pods: e.config.Objects, Namespaces: max(20, 6*e.config.Shards)},
		{Object: newDeployment(), Count: 3 + e.config.Objects/50},
		{Object: newNode(), Count: 3 + e.config.Objects/30},
	}
	for i, load := range loads {
		load.Progress = func(done, total int) { e.config.Progress(done, total, e.is.kinds[i].Resource) }
		if err := e.server.Fill(ctx, load); err != nil {
			return err
		}
	}
	return makeSites(ctx, e.is.sites, e.config.sites())
}

func newDeployment() *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", Labels: labels},
		Spec: appsv1.DeploymentSpec{Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "example.com/web:1"}}},
		}},
	}
}

func newNode() *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "node"},
		Status: corev1.NodeStatus{
			Capacity:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("32Gi")},
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
}

// churn changes mostly pods, some deployments, and the nodes as heartbeats do.
func (e *embedded) churn(ctx context.Context) error {
	beats := apitest.Mix{Updates: 1}
	for i, c := range []apitest.Churn{
		{Resource: pods, Rate: e.config.Rate * 0.85},
		{Resource: deployments, Rate: e.config.Rate * 0.1},
		{Resource: nodes, Rate: e.config.Rate * 0.05, Mix: beats},
	} {
		churner, err := e.server.Churn(ctx, c)
		if err != nil {
			return fmt.Errorf("cannot change %s: %w", e.is.kinds[i].Resource, err)
		}
		defer churner.Stop()
		e.mu.Lock()
		e.churners = append(e.churners, churner)
		e.mu.Unlock()
	}
	<-ctx.Done()
	return nil
}

func (e *embedded) changes() (sum int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, churner := range e.churners {
		stats := churner.Stats()
		sum += stats.Changes()
	}
	return sum
}

// clean has nothing to do: the server is closed.
func (e *embedded) clean(context.Context) (bool, error) { return false, nil }
