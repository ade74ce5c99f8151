//go:build !race

package ownwrites

const slower = 1
