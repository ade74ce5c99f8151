// Package fence prevents a process from writing after its term has ended.
//
// A replica that leads, or that owns a shard, does so for a term, which ends unless it is renewed. The process may be
// stopped (SIGSTOP), frozen or suspended at any point, and another replica may lead when it continues. No timer has
// fired by then, so a timer cannot end the work in time. Therefore each operation checks the term, and the term checks
// the clock.
//
//	var gate fence.Gate
//	config.Wrap(gate.Wrap) // before clients are created
//	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{Gate: &gate, ...})
//
// # The types
//
//	Term  a right that ends by the clock; NewTerm. With and From carry it in a context
//	Gate  the term of a process, checked before each write
//
// Package leaderelection creates terms. Packages runner and controller pass them to reconciles.
//
// # Checks
//
//   - Every client of package rest checks the term in the context of a request, if any, and rejects the request if that
//     term is over, including reads. This needs no [Gate]: see [Transport]. It also applies to contexts derived from that
//     of the work, and to context.WithoutCancel of it.
//   - A client with a Gate also checks the term of the process, for writes whose context carries none: all methods but
//     GET, HEAD and OPTIONS. Lists and watches are not affected, because a replica that does not lead keeps its caches
//     warm. Use a client without the Gate for requests that every replica makes, such as a SubjectAccessReview.
//   - A request is checked when it is about to be sent, after rate limiters, credential plugins and waits for a retry;
//     again whenever its body is read, which is while it is written to the connection; and it is cancelled when the end
//     of the term is noticed before the response has arrived.
//   - The context that [WithCancelCause] returns checks the term at each Err and Done. Contexts that package context
//     derives from it do not: they end when the end of the term is noticed, by a timer or by any check.
//
// # Limits
//
// A process may be stopped between the last check and the write to the connection, a few microseconds, and a request
// that was written in time may arrive late. Only the server can reject such a request: update at the resource version
// that was read, and store the number of the term with each write. See leaderelection.Term.
package fence
