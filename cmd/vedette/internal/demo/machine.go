package demo

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/console"
	"vedette.dev/controller"
	"vedette.dev/gentype"
	"vedette.dev/informers"
	"vedette.dev/internal/sites"
	"vedette.dev/kubernetes"
	"vedette.dev/metadata"
	"vedette.dev/rest"
	"vedette.dev/shard"
)

// setting is how to reach a server, and what to watch there.
type setting struct {
	rest   *rest.Config
	client kubernetes.Interface
	sites  *gentype.Custom[sites.Site] // in the namespace in which sites are
	kind   gentype.Resource
	// namespace is the only one to watch; empty for all.
	namespace string
	// kinds are watched by informers of a factory, besides config maps and sites; the first of them by a sharding
	// informer, too.
	kinds []schema.GroupVersionResource
	// example is an object of the first kind, and shards are what it is divided into.
	example metav1.Object
	shards  shard.Source
}

// looked is an informer and the ledgers of its handlers.
type looked struct {
	name     string
	resource schema.GroupVersionResource
	informer cache.SharedIndexInformer
	ledgers  []*ledger
}

// machine is the set of informers, including a sharding one, and an operator.
type machine struct {
	*setting
	metadata  metadata.Interface
	factory   *informers.Factory
	looks     []*looked
	slow      *sluggish
	slowName  string
	sharding  *shard.ShardingInformer
	operator  *controller.Controller[cache.ObjectName]
	work      *sites.Operator // what the operator does
	measured  *console.Reconciles
	synced    []cache.DoneChecker
	shardName string

	cancel  context.CancelFunc // nil before the start
	running sync.WaitGroup
	failed  chan error // has a buffer of one: why the operator ended
}

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

func newMachine(config *Config, s *setting) (m *machine, err error) {
	m = &machine{setting: s, measured: &console.Reconciles{}, failed: make(chan error, 1)}
	if m.metadata, err = metadata.NewForConfig(s.rest); err != nil {
		return nil, err
	}
	options := informers.Config{Client: s.client}
	if s.namespace != "" {
		options.Namespaces = []string{s.namespace}
	}
	if m.factory, err = informers.New(options); err != nil {
		return nil, err
	}
	for i, resource := range s.kinds {
		generic, err := m.factory.ForResource(resource)
		if err != nil {
			return nil, err
		}
		look, err := m.look(resource.Resource, resource, generic.Informer())
		if err == nil && i == 0 {
			err = m.addSlow(look)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := m.addSharding(config); err != nil {
		return nil, err
	}
	return m, m.addOperator()
}

// look adds an informer, with a ledger.
func (m *machine) look(name string, resource schema.GroupVersionResource, informer cache.SharedIndexInformer) (*looked, error) {
	l := &looked{name: name, resource: resource, informer: informer}
	book := newLedger("handler of " + name)
	handle, err := informer.AddEventHandler(book)
	if err != nil {
		return nil, err
	}
	m.synced = append(m.synced, handle.HasSyncedChecker())
	l.ledgers = append(l.ledgers, book)
	m.looks = append(m.looks, l)
	return l, nil
}

// addSlow adds a handler that can be stalled.
func (m *machine) addSlow(to *looked) error {
	m.slow, m.slowName = &sluggish{ledger: newLedger("slow handler of " + to.name)}, to.name
	to.ledgers = append(to.ledgers, m.slow.ledger)
	handle, err := to.informer.AddEventHandler(m.slow)
	if err == nil {
		m.synced = append(m.synced, handle.HasSyncedChecker())
	}
	return err
}

func (m *machine) addSharding(config *Config) (err error) {
	resource := m.kinds[0]
	m.shardName = fmt.Sprintf("%s in %d shards", resource.Resource, config.Shards)
	if config.Shards == 1 {
		m.shardName = resource.Resource + " in 1 shard"
	}
	m.sharding, err = shard.NewShardingInformer(shard.Config[metav1.Object]{
		Resource: resource, REST: m.rest, Example: m.example, Source: m.shards,
	})
	if err != nil {
		return err
	}
	book := newLedger("handler of " + m.shardName)
	handle, err := m.sharding.AddShardHandler(sharded{book}, shard.HandlerOptions{})
	if err != nil {
		return err
	}
	m.synced = append(m.synced, handle.HasSyncedChecker())
	m.looks = append(m.looks, &looked{name: m.shardName, resource: resource, informer: m.sharding, ledgers: []*ledger{book}})
	return nil
}

// addOperator adds the controller of sites, with the informers that it needs.
func (m *machine) addOperator() (err error) {
	m.work, err = sites.New(sites.Config{Resource: m.kind, API: m.sites, Client: m.client, Factory: m.factory})
	if err != nil {
		return err
	}
	all, pages := m.work.Informers()
	if _, err := m.look("sites", sites.GVR(m.kind), all); err != nil {
		return err
	}
	if m.kinds[0] != configMaps {
		if _, err := m.look("configmaps", configMaps, pages); err != nil {
			return err
		}
	}
	m.operator, err = controller.New(controller.Config[cache.ObjectName]{
		Name: "sites", Workers: 4, Reconcile: m.work.Reconcile, Sources: m.work.Sources(),
		Timeout: requestTime, StopTimeout: -1, Metrics: m.measured,
	})
	return err
}

// start starts everything, and waits until all handlers have synced.
func (m *machine) start(ctx context.Context) error {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	m.cancel = cancel
	m.factory.StartWithContext(running)
	m.running.Go(func() { m.sharding.RunWithContext(running) })
	m.running.Go(func() {
		if err := m.operator.Run(running); err != nil {
			m.failed <- err
		}
	})
	for _, synced := range m.synced {
		select {
		case <-synced.Done():
		case err := <-m.failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// stop stops everything, and returns when no goroutine is left.
func (m *machine) stop() {
	if m.cancel != nil {
		m.cancel()
		m.running.Wait()
		m.factory.Shutdown()
	}
	if m.work != nil {
		_ = m.work.Close() // its informer has ended
	}
}

func (m *machine) console() console.Config {
	return console.Config{
		Title:       "vedette demo",
		Informers:   []console.Informers{console.Factory("", m.factory), console.Informer(m.shardName, m.sharding)},
		Controllers: []console.Controller{m.operator},
		Reconciles:  m.measured,
		Shards:      map[string]console.Sharded{m.shardName: console.Shards(m.sharding)},
	}
}
