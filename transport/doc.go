// Package transport creates the http.RoundTripper of a client of an API server: connections, TLS, and the layers for
// authentication.
//
// # The types
//
//	Config                connection and authentication          New → http.RoundTripper
//	TLSConfig             certificates, as data or as files      TLSConfigFor → *tls.Config
//	ImpersonationConfig   a user to impersonate
//	DialHolder            a dial function that can be compared
//	GetCertHolder         a comparable source of client certificates, with rotation
//	WrapperFunc           a layer around a RoundTripper          Wrappers, ContextCanceller, Config.Wrap
//
// From the outside to the inside, what [New] returns is:
//
//	redirects of bodies → impersonation → user agent → bearer token or basic authentication → Config.WrapTransport → fence.Transport → base
//
// Each layer has a constructor of its own ([NewBearerAuthRoundTripper] and so on), and [HTTPWrappersForConfig] wraps a
// RoundTripper of the caller with all of them. [NewLoggingRoundTripper] and [NewAuthProxyRoundTripper] are used by
// themselves. The base is a pair of http.Transports: one for requests whose context comes from [WithLongRunning], one for
// the others.
//
// The names are those of client-go's transport package.
//
// # Guarantees
//
//   - Credentials do not follow a redirect to another origin, that is, scheme, host and port. See [CredentialsAllowed]. A
//     request with a body fails in this case. A client certificate is not a secret, and is sent to any server that asks
//     for one.
//   - An Authorization header set by the caller is not changed. Requests are copied before they are changed.
//   - A dead connection is detected within 45 seconds, by pings on HTTP/2 and by TCP keep-alive on HTTP/1.1. A custom
//     dial function has to configure the latter itself.
//   - Watches and short requests never share a connection.
//   - Configs that are equal below HTTP share connections, however many clients there are. When the last client is
//     gone, the garbage collector closes its idle connections; those of a [DialHolder] are closed 90 seconds after their
//     last use. CloseIdleConnections closes them at once.
//   - This package starts no goroutines besides those of net/http for each connection.
//   - TLS is 1.2 or newer.
//   - Printing a [Config], with any verb, shows no secret.
//
// # Reloading
//
//	what                          when                                    if it is unreadable or invalid
//	token file                    a request, a minute after the last;     the last token is used
//	                              the request after a 401
//	CA, certificate, key files    a request, 5 seconds after the last     the last valid ones are used, and the error
//	                                                                      of a failed handshake says so
//	GetCertHolder                 a request, after Rotated                the request fails
//
// At the start all must be valid: New returns an error that names the file.
//
// When certificates have changed, later requests use new connections. Running short requests complete, and long-running
// ones are closed, as they would otherwise go on for as long as the server lets them.
package transport
