// Package list has the workloads that list many pods over HTTP.
//
// The server is a process of its own (package podserver), so the figures are those of the client alone. A trial lists
// once. Before that it has listed a few pods, so that the connection is there and each type's decoder is set up.
//
// The three ways to read a list:
//
//   - whole: decode it and keep it;
//   - stream: look at each pod, decoded, and keep none;
//   - meta: look at the metadata of each, and keep none.
//
// client-go knows only the first, so there the others decode the whole list too. What either side has seen is summed up and
// compared with what the server sent, so that omitted objects are noticed.
package list
