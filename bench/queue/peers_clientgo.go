package queue

import (
	"time"

	"k8s.io/client-go/util/workqueue"
)

var clientGo = peer{
	plain: func() (workQueue, error) { return workqueue.NewTyped[string](), nil },
	retrying: func(base time.Duration) (retryQueue, error) {
		limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](base, maxRetryDelay)
		return workqueue.NewTypedRateLimitingQueue(limiter), nil
	},
}
