package console

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing here may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
