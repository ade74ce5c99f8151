//go:build race

package record

// raceEnabled: the race detector makes everything ten times slower.
const raceEnabled = true
