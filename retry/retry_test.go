package retry

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

var conflict = apierrors.NewConflict(schema.GroupResource{Resource: "pods"}, "web", errors.New("was changed"))

func TestRetryOnConflict(t *testing.T) {
	other := errors.New("no such thing")
	for name, test := range map[string]struct {
		answers []error
		want    error
		calls   int
	}{
		"at once":        {[]error{nil}, nil, 1},
		"third try":      {[]error{conflict, conflict, nil}, nil, 3},
		"other error":    {[]error{conflict, other}, other, 2},
		"never":          {[]error{conflict, conflict, conflict, conflict, conflict, conflict}, conflict, 5},
		"wait's timeout": {[]error{wait.ErrorInterrupted(nil)}, wait.ErrorInterrupted(nil), 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				err := RetryOnConflict(DefaultRetry, func() error { calls++; return test.answers[calls-1] })
				if calls != test.calls || (err == nil) != (test.want == nil) || err != nil && err.Error() != test.want.Error() {
					t.Errorf("%d calls and %v, want %d and %v", calls, err, test.calls, test.want)
				}
			})
		})
	}
}

func TestOnErrorWithoutStepsFails(t *testing.T) {
	err := OnError(wait.Backoff{}, func(error) bool { return true }, func() error { return nil })
	if err == nil {
		t.Error("no error, though fn was never called")
	}
}

func TestDefaultBackoffIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_ = RetryOnConflict(DefaultBackoff, func() error { return conflict })
		if d := time.Since(start); d < 310*time.Millisecond || d > 341*time.Millisecond { // 10+50+250 ms and 10 % of jitter
			t.Errorf("gave up after %v", d)
		}
	})
}
