//go:build !race

package dynamicinformer_test

const raceEnabled = false
