//go:build !race

package apitest_test

const raceDetector = false
