package queue

import (
	"time"

	"vedette.dev/workqueue"
)

var vedette = peer{
	plain: func() (workQueue, error) { return workqueue.NewTyped[string](), nil },
	retrying: func(base time.Duration) (retryQueue, error) {
		limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](base, maxRetryDelay)
		return workqueue.NewTypedRateLimitingQueue(limiter), nil
	},
}
