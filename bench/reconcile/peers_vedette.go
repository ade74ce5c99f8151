package reconcile

import (
	"context"
	"errors"
	"sync"

	"vedette.dev/cache"
	"vedette.dev/controller"
)

type vedette struct {
	informer   cache.SharedIndexInformer
	controller *controller.Controller[cache.ObjectName]
}

// withRecords builds a controller with a certain Config.Records.
func withRecords(records int) func(*server, *crew) (side, error) {
	return func(s *server, c *crew) (side, error) {
		informer := cache.NewSharedIndexInformer(s, &object{}, 0, cache.Indexers{namespaceIndex: cache.MetaNamespaceIndexFunc})
		made, err := controller.New(controller.Config[cache.ObjectName]{
			Name:    "bench",
			Workers: workers,
			Records: records,
			Sources: []controller.Source[cache.ObjectName]{controller.For(cache.NewTypedSharedIndexInformer[*object](informer))},
			Reconcile: func(_ context.Context, key cache.ObjectName) (controller.Result, error) {
				c.reconcile(key.Name, func() (any, bool, error) { return informer.GetIndexer().GetByKey(key.String()) })
				return controller.Result{}, nil
			},
		})
		return &vedette{informer: informer, controller: made}, err
	}
}

func (v *vedette) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { v.informer.RunWithContext(ctx) })
	err := v.controller.Run(ctx)
	if state := v.controller.State(); state.Failures > 0 {
		err = errors.Join(err, errors.New("there were reconciles that failed"))
	}
	stop()
	all.Wait()
	return err
}
