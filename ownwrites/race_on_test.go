//go:build race

package ownwrites

// slower is how much less to do under the race detector.
const slower = 5
