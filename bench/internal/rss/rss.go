// Package rss says how much memory the process has from the kernel, now and at its worst. That includes what the garbage
// collector has not found yet, and what no sampling would see. It works on Linux only.
package rss

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Reset has the peak begin anew, at what the process has now.
func Reset() error {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("this workload measures memory as only Linux can: %w", err)
	}
	return nil
}

// Now is what the process has.
func Now() (uint64, error) { return status("VmRSS") }

// Peak is the most that it had since Reset.
func Peak() (uint64, error) { return status("VmHWM") }

// status is a size in /proc/self/status, where a line is like "VmHWM:	   12345 kB".
func status(name string) (uint64, error) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		value, ok := strings.CutPrefix(lines.Text(), name+":")
		if !ok {
			continue
		}
		kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/self/status: %s: %w", name, err)
		}
		return kib << 10, nil
	}
	return 0, fmt.Errorf("/proc/self/status has no %s", name)
}
