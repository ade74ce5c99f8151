// Package demo is a machine under load that gets into trouble, and comes out of it: what 'vedette demo' shows.
//
//   - [Demo] is the machine: a factory of informers, a sharding informer, and an operator with a kind of its own, on a server whose
//     objects change all the time. [Start] starts one as a [Config] says: on an API server in this process, or on a cluster, in a
//     namespace of its own.
//   - Demo.Run changes objects and makes trouble until it is told to stop. Everything that happens is told by Config.Tell.
//   - [Status] is how it goes, for people who look at a terminal; Demo.Console is what the live page shows.
//   - [Verdict] is what came of it: whether the server, every cache, and what every handler was told are the same, and whether the
//     operator has done its work.
//   - Demo.Close stops the machine, and removes from a cluster all that the demo has made there.
//
// # What holds
//
//   - A ledger is kept by each handler, of nothing but what it was told. A verdict is about what is in the end: every object in the
//     state that the server has, and no object that it has not. That nothing was told in a wrong order, the ledgers note on the way.
//   - Trouble is made on purpose, so it is told as what it is, and not as an error.
//   - When Close has returned, nothing of the demo runs.
package demo
