// Package transport makes the http.RoundTripper through which a client speaks to an API server: connections, TLS, and
// the layers that say who the client is.
//
// # The types
//
//	Config                what to connect with, and as whom      New → http.RoundTripper
//	TLSConfig             certificates, as data or as files      TLSConfigFor → *tls.Config
//	ImpersonationConfig   a user to act as
//	DialHolder            a dial function that can be compared
//	GetCertHolder         a source of client certificates that can be compared, and that can say that they changed
//	WrapperFunc           a layer around a RoundTripper          Wrappers, ContextCanceller, Config.Wrap
//
// From the outside to the inside, what New returns is:
//
//	redirects of bodies → impersonation → user agent → bearer token or basic authentication → Config.WrapTransport → fence.Transport → base
//
// Each layer has a constructor of its own (NewBearerAuthRoundTripper and so on), and HTTPWrappersForConfig puts all of
// them around a RoundTripper of the caller's. NewLoggingRoundTripper and NewAuthProxyRoundTripper are used by themselves.
// The base is a pair of http.Transports: one for requests whose context comes from WithLongRunning, one for the others.
//
// The names are those of client-go's transport package.
//
// # What always holds
//
//   - Credentials do not follow a redirect to another origin, which is a scheme, a host and a port. See
//     CredentialsAllowed. A request with a body does not either: it fails. A client certificate is not a secret, and is shown to whatever server asks for one.
//   - An Authorization header that the caller set is left alone. Requests are copied before they are changed.
//   - A connection whose other end has vanished is noticed within 45 seconds, by pings on HTTP/2 and by the kernel on
//     HTTP/1.1. A dial function of the user's must see to the latter by itself.
//   - Watches and short requests never share a connection.
//   - Configs that are equal below HTTP share connections, however many clients are made. When the last client is gone, the
//     garbage collector closes its idle connections; those of a DialHolder close by themselves, 90 seconds after their
//     last use. CloseIdleConnections does it at once.
//   - No goroutine of this package's runs beside those that net/http has for each connection.
//   - TLS is 1.2 or newer.
//   - Printing a Config, with any verb, shows no secret.
//
// # What is read again
//
//	what                          when                                    if it cannot be read, or makes no sense
//	token file                    a request, a minute after the last;     the last token is used
//	                              the request after a 401
//	CA, certificate, key files    a request, 5 seconds after the last     the last good ones are used, and a handshake
//	                                                                      that fails then says so
//	GetCertHolder                 a request, after Rotated                the request fails
//
// At first, all must be there and make sense: New returns an error that names the file.
//
// When certificates have changed, later requests use new connections. Short requests that are under way end in peace, and
// long-running ones are cut off, as they would otherwise go on for as long as the server lets them.
package transport
