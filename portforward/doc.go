// Package portforward forwards ports of this machine to ports of a pod.
//
//	PortForwarder                listens, and forwards connections over one connection to the API server; ForwardPorts
//	NewSPDYOverWebsocketDialer   opens that connection as a WebSocket, which Kubernetes has since 1.30
//	FallbackDialer               tries one dialer, and another if the first was refused
//
// The dialer for SPDY, which all versions have, is spdy.NewDialer. The example has all of it.
//
// # What to know
//
//   - ForwardPorts returns nil when the stop channel or the context ends, and ErrLostConnectionToPod when the connection ends in
//     another way. Wrapped with it is why.
//   - When ForwardPorts returns, listeners and connections are closed and nothing of it runs.
//   - If the server cannot forward a connection, for instance because the port of the pod is closed, it says so; its message is
//     written to errOut, the connection to the server is closed, and the message is in the error of ForwardPorts. The pod may have been
//     replaced, so that nothing could be forwarded any more.
//   - Each direction of a connection ends on its own: a client that has sent all can still receive.
//   - All connections share one to the server, and have no flow control of their own. A client that does not read keeps others waiting,
//     once about 1.5 MiB wait for it.
package portforward
