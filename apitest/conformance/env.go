package conformance

import (
	"context"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/discovery"
	"vedette.dev/dynamic"
	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	typedappsv1 "vedette.dev/kubernetes/typed/apps/v1"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/metadata"
	"vedette.dev/rest"
)

// clients are the ways to speak to the target, shared by all behaviours.
type clients struct {
	target  Target
	kube    *kubernetes.Clientset // speaks protobuf
	dynamic *dynamic.DynamicClient
	meta    metadata.Interface
	disco   *discovery.DiscoveryClient
	json    *rest.RESTClient // of the core group; also for requests that are written out by hand

	defining sync.Mutex
	tried    bool
	defined  *gadgets   // a custom kind, created on first use
	whole    testing.TB // the test that all behaviours belong to

	past *past // what expiry is tried on; its behaviours run one at a time
}

// connect makes the clients, without limits: what takes long should be the server's doing.
func connect(t *testing.T, target Target) *clients {
	t.Helper()
	if target.Config == nil {
		t.Fatal("Target.Config is nil: a server cannot be tried without an address")
	}
	target.Config = unlimited(t, target.Config)
	if target.Plain != nil {
		target.Plain = unlimited(t, target.Plain)
	}
	c := &clients{target: target, whole: t}
	var err [4]error
	c.kube, err[0] = kubernetes.NewForConfig(target.Config)
	c.dynamic, err[1] = dynamic.NewForConfig(target.Config)
	c.meta, err[2] = metadata.NewForConfig(target.Config)
	c.disco, err[3] = discovery.NewDiscoveryClientForConfig(target.Config)
	for _, err := range err {
		if err != nil {
			t.Fatal(err)
		}
	}
	c.json = coreClient(t, target.Config, "application/json")
	return c
}

// unlimited is a copy of the config without a rate limit and without warnings in the log. Its connections are closed when
// the tests are done, so that a check for leaks sees none.
func unlimited(t *testing.T, config *rest.Config) *rest.Config {
	t.Helper()
	config = rest.CopyConfig(config)
	config.QPS, config.WarningHandler = -1, rest.NoWarnings{}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return config
}

func coreClient(t testing.TB, config *rest.Config, contentType string) *rest.RESTClient {
	t.Helper()
	config = rest.CopyConfig(config)
	config.APIPath, config.GroupVersion = "/api", &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.ContentType = contentType
	client, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Client.CloseIdleConnections)
	return client
}

// env is what one behaviour works with.
type env struct {
	*testing.T
	*clients
	ctx context.Context
	ns  string // made when it is asked for
}

// namespace is the behaviour's own.
func (e *env) namespace() string {
	e.Helper()
	if e.ns == "" {
		e.ns = e.newNamespace()
	}
	return e.ns
}

func (e *env) newNamespace() string {
	e.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "conformance-"}}
	ns, err := e.kube.CoreV1().Namespaces().Create(e.ctx, ns, metav1.CreateOptions{})
	e.must(err)
	return ns.Name
}

func (e *env) configMaps() typedcorev1.ConfigMapInterface {
	e.Helper()
	return e.kube.CoreV1().ConfigMaps(e.namespace())
}

func (e *env) pods() typedcorev1.PodInterface {
	e.Helper()
	return e.kube.CoreV1().Pods(e.namespace())
}

func (e *env) deployments() typedappsv1.DeploymentInterface {
	e.Helper()
	return e.kube.AppsV1().Deployments(e.namespace())
}

func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}
