// Package replicas runs groups of package shardgroup as processes on a real API server, does them harm, and checks what they did.
//
//	Setup, Replica   the program of one replica, which prints what it does
//	Scene            the API server, the objects, and the replicas
//	Campaign         faults from a seed, while objects change
//	Figures          how long moves take, and what a group costs
//
// A replica reconciles ConfigMaps: it gives data.have the value of data.want, and writes the epoch of its shard with it, at the
// version that it has read. What is checked, in package internal/shardhistory:
//
//   - what replicas do while they may, by the time on their common machine: no act of an earlier owner comes after one of a later owner;
//   - what has come to etcd, of which every version of every object is read: no lower epoch comes after a higher one;
//   - every value that an object should get has come to etcd in the end.
package replicas
