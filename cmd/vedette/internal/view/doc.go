// Package view keeps what is displayed of the objects of one kind: one by one, or by group.
//
// A [View] receives every change ([View.Put], [View.Remove]), and returns a frame to draw on request ([View.Frame]).
// Groups are updated with each change, so that the cost of a frame depends on the number of groups, not on that of the
// objects. It starts no goroutine and reads no clock; it is safe for concurrent use.
package view
