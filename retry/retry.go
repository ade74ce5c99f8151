// Package retry retries functions: OnError while an error is retriable, RetryOnConflict after update conflicts.
// DefaultRetry and DefaultBackoff are backoffs for it.
package retry

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// DefaultRetry is for an object that several clients change: five attempts, ten milliseconds apart. Copy it to change
// it.
var DefaultRetry = wait.Backoff{Steps: 5, Duration: 10 * time.Millisecond, Factor: 1, Jitter: 0.1}

// DefaultBackoff is for an object that a controller changes often: four attempts, with delays from ten milliseconds on
// that increase by a factor of five.
var DefaultBackoff = wait.Backoff{Steps: 4, Duration: 10 * time.Millisecond, Factor: 5, Jitter: 0.1}

// OnError calls fn until it succeeds, until it fails with an error that is not retriable, or until backoff has no step
// left. It returns the last error of fn unchanged.
func OnError(backoff wait.Backoff, retriable func(error) bool, fn func() error) error {
	var last error
	err := wait.ExponentialBackoff(backoff, func() (bool, error) {
		last = fn()
		if last != nil && retriable(last) {
			return false, nil
		}
		return true, last
	})
	if last != nil {
		return last
	}
	return err
}

// RetryOnConflict calls fn again while it returns a conflict, which means that the object was changed after fn read it.
// So fn must read the object again each time, change it, and return the error of the update:
//
//	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
//		deployment, err := client.Get(ctx, "web", metav1.GetOptions{})
//		if err != nil {
//			return err
//		}
//		deployment.Spec.Replicas = &replicas
//		_, err = client.Update(ctx, deployment, metav1.UpdateOptions{})
//		return err
//	})
func RetryOnConflict(backoff wait.Backoff, fn func() error) error {
	return OnError(backoff, apierrors.IsConflict, fn)
}
