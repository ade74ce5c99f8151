//go:build race

package e2e

// underRace says that the race detector makes everything slow, and some things more than others.
const underRace = true
