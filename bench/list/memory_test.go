package list

import (
	"runtime"
	"testing"
)

// TestMemory needs a known amount at once, and keeps a known part of it.
func TestMemory(t *testing.T) {
	const kept, dropped = 16 << 20, 64 << 20
	var m memory
	if err := m.begin(); err != nil {
		t.Skip(err) // not Linux
	}
	keep, drop := touched(kept), touched(dropped)
	if err := m.end(); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(drop)
	runtime.GC()
	// The upper limit leaves room for the race detector, which needs several times as much again.
	if got := m.extra(); got < 0.9*dropped || got > 10*dropped {
		t.Errorf("extra memory of %.0f bytes, want %d", got, dropped)
	}
	runtime.KeepAlive(keep)
}

// touched is memory that the kernel has really had to give.
func touched(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = 1
	}
	return b
}
