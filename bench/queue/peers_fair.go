package queue

import "vedette.dev/workqueue"

// vedetteRetrying is the FIFO that offers as much as the fair queue.
func vedetteRetrying() (workQueue, error) {
	limiter := workqueue.DefaultTypedControllerRateLimiter[string]()
	return workqueue.NewTypedRateLimitingQueue(limiter), nil
}

// vedetteByNamespace is the fair queue with the namespace as the tenant.
func vedetteByNamespace() (workQueue, error) {
	return workqueue.NewFair(workqueue.FairConfig[string]{Tenant: namespaceOf})
}
