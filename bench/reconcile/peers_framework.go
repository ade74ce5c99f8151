package reconcile

import (
	"context"
	"sync"

	"github.com/go-logr/logr"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// framework is a controller of controller-runtime with what it has by default: the source is a Kind, and the queue the one with
// priorities. It is spared what a real one has beside that: there is no manager, logs go nowhere, and a reconcile that looks its
// object up does so in the store itself, which makes no copy.
type framework struct {
	informer   toolscache.SharedIndexInformer
	controller controller.Controller
}

func newFramework(s *server, c *crew) (side, error) {
	log.SetLogger(logr.Discard())
	r := &framework{informer: newClientGoInformer(s)}
	anyName := true // tests make several in a process
	var err error
	r.controller, err = controller.NewUnmanaged("bench", controller.Options{
		MaxConcurrentReconciles: workers,
		SkipNameValidation:      &anyName,
		Reconciler: reconcile.Func(func(_ context.Context, request reconcile.Request) (reconcile.Result, error) {
			c.reconcile(request.Name, func() (any, bool, error) { return r.informer.GetIndexer().GetByKey(request.String()) })
			return reconcile.Result{}, nil
		}),
	})
	if err != nil {
		return nil, err
	}
	kind := source.Kind(oneInformer{informer: r.informer}, &object{}, &handler.TypedEnqueueRequestForObject[*object]{})
	return r, r.controller.Watch(kind)
}

func (r *framework) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { r.informer.RunWithContext(ctx) })
	err := r.controller.Start(ctx)
	stop()
	all.Wait()
	return err
}

// oneInformer is a cache with one informer, which the caller runs. A source needs nothing else.
type oneInformer struct {
	cache.Cache
	informer toolscache.SharedIndexInformer
}

func (o oneInformer) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	return o.informer, nil
}

func (o oneInformer) WaitForCacheSync(ctx context.Context) bool {
	return toolscache.WaitFor(ctx, "", o.informer.HasSyncedChecker())
}
