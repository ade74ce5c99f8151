// Package view keeps what is worth showing of the objects of one kind: one by one, or by group.
//
// A [View] hears of every change ([View.Put], [View.Remove]), and is asked now and then for a frame to draw ([View.Frame]). What
// an answer needs is kept up to date with each change, so that a frame of groups costs as much as there are groups, however many
// objects are in them. It starts no goroutine and reads no clock; it is safe for concurrent use.
package view
