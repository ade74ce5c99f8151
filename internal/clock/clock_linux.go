package clock

import (
	"math"
	"syscall"
	"time"
	"unsafe"
)

// The clocks of clock_gettime(2). Both count from boot and are never set; only the second counts the time in suspend.
const (
	clockMonotonic = 1
	clockBoottime  = 7
)

// suspended returns how long the machine has been suspended since it was booted: the difference of the two clocks. It
// is read from the kernel and added to Go's clock, rather than used in its place, so that Go's clock may be the clock of a
// testing/synctest bubble.
//
// The two clocks cannot be read atomically. If this process is stopped in between, the difference is wrong; that is
// detected by reading one of them twice, and then it is read again.
func suspended() (time.Duration, bool) {
	best, width := time.Duration(0), time.Duration(math.MaxInt64)
	for range 8 {
		before, ok1 := clockGettime(clockMonotonic)
		boot, ok2 := clockGettime(clockBoottime)
		after, ok3 := clockGettime(clockMonotonic)
		if !ok1 || !ok2 || !ok3 {
			return 0, false
		}
		if after-before < width {
			// The true value is between boot-after and boot-before. In a time namespace it may be negative; only its
			// growth matters.
			best, width = boot-after, after-before
		}
		if width < 20*time.Microsecond {
			break
		}
	}
	return best, true
}

func clockGettime(id uintptr) (time.Duration, bool) {
	var ts syscall.Timespec
	_, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&ts)), 0)
	return time.Duration(ts.Nano()), errno == 0
}
