package workqueue

import (
	"testing"

	"go.uber.org/goleak"
)

// No queue may leave a goroutine behind once it was shut down, so none may be left when all tests are over.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
