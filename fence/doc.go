// Package fence keeps a process from writing after its right to do so has ended.
//
// A replica that leads, or that owns a shard, does so for a term, which ends unless it is renewed. The process may be stopped
// (SIGSTOP), frozen or suspended at any point, and another replica may lead when it goes on. No timer has run by then, so a timer
// cannot end the work in time. What must not happen after the term therefore asks the term, and the term asks the clock.
//
//	var gate fence.Gate
//	config.Wrap(gate.Wrap) // before clients are made of it
//	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{Gate: &gate, ...})
//
// # The types
//
//	Term  a right that ends by the clock   NewTerm; With and From carry it in a context
//	Gate  the term of a process, asked before each request that writes
//
// Package leaderelection makes terms. Package runner and package controller pass them on to reconciles.
//
// # What is asked when
//
//   - Every client of package rest asks the term that the context of a request carries, if any, and refuses the request if that term
//     is over, reads as well. This needs no Gate: see Transport. It also holds for contexts that are derived from the one of the
//     work, and for context.WithoutCancel of it.
//   - A client with a Gate also asks the term of the process, for requests whose context carries none, if they write: all but GET,
//     HEAD and OPTIONS. Lists and watches go on, because a replica that does not lead keeps its caches warm. A client for
//     requests that every replica makes, such as a SubjectAccessReview, is made without the Gate.
//   - A request is asked for when it is about to be sent, after rate limiters, credential plugins and waits for a retry; once more
//     whenever its body is read, which is while it is written to the connection; and it is cancelled when the end of the term is
//     noticed before the response has arrived.
//   - The context that WithCancelCause returns asks the term at each Err and Done. Contexts that package context derives from it do
//     not: they end when the end of the term is noticed, by a timer or by any question.
//
// # What a fence cannot do
//
// A process may be stopped between the last question and the write to the connection, a few microseconds, and a request that was
// written in time may arrive late. Only the server can refuse such a request: update at the resource version that was read, and
// put the number of the term into what is written. See leaderelection.Term.
package fence
