//go:build race

package pack

// raceEnabled: the race detector allocates on its own account, so tests that count allocations are skipped.
const raceEnabled = true
