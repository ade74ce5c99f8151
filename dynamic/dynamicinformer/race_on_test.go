//go:build race

package dynamicinformer_test

const raceEnabled = true
