package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/dynamic"
	"vedette.dev/internal/sites"
	"vedette.dev/rest"
	"vedette.dev/shard"
)

// cluster is a cluster with other users. The demo uses a namespace and a kind of its own, and removes both at the end. The kind is in a
// group of its own, so that it conflicts with no other and nothing is removed that the demo has not created.
type cluster struct {
	config  *Config
	is      *setting
	dynamic dynamic.Interface
	dialer  *dialer
	changed *atomic.Int64
	// made is set if the namespace may exist, and defined if the kind may exist.
	made, defined bool
	names         []string // of the config maps
}

func newCluster(config *Config, changed *atomic.Int64) (world, error) {
	name := "vedette-demo-" + strings.ToLower(rand.Text()[:6])
	c := &cluster{config: config, dialer: newDialer(config.REST.Dial), changed: changed}
	access := rest.CopyConfig(config.REST)
	access.Dial = c.dialer.dial
	var shards []shard.Shard
	for i, r := range shard.EqualRanges(config.Shards) {
		shards = append(shards, shard.Shard{ID: fmt.Sprintf("%03d", i), Scope: shard.Scope{Namespaces: []string{name}, Hash: shard.ByUID(), Ranges: []shard.Range{r}}})
	}
	c.is = &setting{
		rest: access, namespace: name, kind: sites.Resource(name + "." + sites.Group), kinds: []schema.GroupVersionResource{configMaps},
		example: &corev1.ConfigMap{}, shards: shard.Shards(shards...),
	}
	if err := c.is.connect(name); err != nil {
		return nil, err
	}
	var err error
	if c.dynamic, err = dynamic.NewForConfig(access); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *cluster) setting() *setting { return c.is }

func (c *cluster) fill(ctx context.Context) error {
	// An interrupted request may have been executed: clean up in any case.
	c.made = true
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.is.namespace, Labels: map[string]string{"app.kubernetes.io/managed-by": "vedette-demo"}}}
	if _, err := c.is.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("cannot create a namespace: %w", err)
	}
	c.defined = true
	if err := sites.Install(ctx, c.dynamic, c.is.kind); err != nil {
		return err
	}
	for i := range c.config.Objects {
		if err := c.create(ctx); err != nil {
			return fmt.Errorf("cannot create a config map: %w", err)
		}
		if (i+1)%10 == 0 || i+1 == c.config.Objects {
			c.config.Progress(i+1, c.config.Objects, "configmaps")
		}
	}
	return makeSites(ctx, c.is.sites, c.config.sites())
}

func (c *cluster) create(ctx context.Context) error {
	name := "load-" + strings.ToLower(rand.Text()[:10])
	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"text": "hello"}}
	_, err := c.is.client.CoreV1().ConfigMaps(c.is.namespace).Create(ctx, obj, metav1.CreateOptions{})
	if err == nil {
		c.names = append(c.names, name)
	}
	return err
}

// churn changes config maps, one after the other.
func (c *cluster) churn(ctx context.Context) error {
	pace(ctx, c.config.Rate, func(ctx context.Context) {
		if err := c.change(ctx); err == nil {
			c.changed.Add(1)
		}
	})
	return nil
}

func (c *cluster) change(ctx context.Context) error {
	maps := c.is.client.CoreV1().ConfigMaps(c.is.namespace)
	what := mathrand.IntN(20)
	if what == 0 || len(c.names) < c.config.Objects/2 {
		return c.create(ctx)
	}
	if len(c.names) == 0 {
		return nil
	}
	at := mathrand.IntN(len(c.names))
	if what == 1 {
		err := maps.Delete(ctx, c.names[at], metav1.DeleteOptions{})
		if err == nil || apierrors.IsNotFound(err) {
			c.names[at] = c.names[len(c.names)-1]
			c.names = c.names[:len(c.names)-1]
		}
		return err
	}
	patch := fmt.Sprintf(`{"data":{"text":%q}}`, rand.Text())
	_, err := maps.Patch(ctx, c.names[at], types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// changes returns zero: all changes are made by clients of the demo.
func (c *cluster) changes() int64 { return 0 }

// clean removes the namespace and the kind. It also removes the finalizers, because the operator has ended.
func (c *cluster) clean(ctx context.Context) (underWay bool, err error) {
	defer c.dialer.cut() // idle connections
	var errs []error
	if c.defined {
		if err := c.release(ctx); err != nil {
			errs = append(errs, err)
		}
		err := c.dynamic.Resource(sites.Definitions).Delete(ctx, sites.DefinitionName(c.is.kind), metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("definition %s still exists: %w", sites.DefinitionName(c.is.kind), err))
		}
	}
	if c.made {
		if err := c.removeNamespace(ctx); err != nil {
			underWay = len(errs) == 0 && errors.Is(err, errTerminating)
			errs = append(errs, err)
		}
	}
	return underWay, errors.Join(errs...)
}

// release removes the finalizers of all sites, so that they can be deleted with the namespace.
func (c *cluster) release(ctx context.Context) error {
	list, err := c.is.sites.List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot list sites in namespace %s: %w", c.is.namespace, err)
	}
	for _, site := range list.Items {
		_, err := c.is.sites.Patch(ctx, site.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("cannot remove the finalizers of site %s/%s: %w", site.Namespace, site.Name, err)
		}
	}
	return nil
}

// errTerminating means that a namespace is being deleted.
var errTerminating = errors.New("the server has not removed it yet")

func (c *cluster) removeNamespace(ctx context.Context) error {
	namespaces := c.is.client.CoreV1().Namespaces()
	err := namespaces.Delete(ctx, c.is.namespace, metav1.DeleteOptions{})
	for err == nil {
		select {
		case <-time.After(100 * time.Millisecond):
			_, err = namespaces.Get(ctx, c.is.namespace, metav1.GetOptions{})
		case <-ctx.Done():
		}
		if ctx.Err() != nil && !apierrors.IsNotFound(err) {
			err = errTerminating
		}
	}
	if apierrors.IsNotFound(err) {
		return nil
	}
	return fmt.Errorf("namespace %s still exists: %w", c.is.namespace, err)
}
