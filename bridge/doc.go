// Package bridge runs Vedette's informers in programs that are written for client-go. They keep their imports and their types, and
// change a line:
//
//	factory := informers.NewSharedInformerFactory(client, 0)         // before
//	factory, err := bridge.NewFactory(client, bridge.FactoryConfig{}) // after
//
// Programs with controller-runtime use vedette.dev/bridge/ctrl.
//
//	NewFactory               a factory for all kinds of k8s.io/client-go/informers
//	InformerFor              one kind of any factory that informer-gen has written
//	NewInformer              an informer for any ListerWatcher
//	Options.NewRawInformer   an informer that reads the bytes of a plain ListerWatcher
//	WrapConfig               makes clients hand out the bytes of their answers
//	Unwrap                   Vedette's informer behind a client-go informer: its State, for the console, for metrics
//	ToClientGo               a client-go configuration of one of vedette.dev/rest
//	FromClientGo             the other way round
//	ForwardMetrics           makes Vedette count in the metrics that were registered with client-go
//
// # Where the bytes come from
//
// A ListerWatcher says neither which address it asks nor with which selectors. But those that controller-runtime and informer-gen make
// pass their context on to the request. An informer puts a slot into that context; client-go builds and sends the request, with its
// credentials, throttling, retries, warnings and metrics; the http.RoundTripper of WrapConfig finds the slot, keeps the answer for the
// informer, and gives client-go an empty one.
//
// The informer uses what client-go has decoded if there is nothing in the slot: with fake clients, with configurations that are not
// wrapped, with informers generated before client-go 0.33, when the answer is neither JSON nor protobuf, and when something other than
// client-go reads the answer, such as an http.RoundTripper of the program that was added after WrapConfig.
//
// # What is as in client-go
//
// Handlers are given client-go's types. A panic in a handler ends the process, and a slow handler is called for every change; see
// Options.Handlers. Logs of failing lists and watches are client-go's.
package bridge
