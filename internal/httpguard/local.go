package httpguard

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

var (
	errElsewhere = errors.New("answers requests from its own machine only")
	errHost      = errors.New("answers at localhost only")
)

// Local returns nil for a direct connection from this machine to a loopback address, for a name of this machine, and
// otherwise an error.
//
//   - The connection comes from 127.0.0.1 or ::1. The other addresses of 127.0.0.0/8 are refused: service meshes pass requests
//     of other machines on from there.
//   - It ends at a loopback address.
//   - There is no header of a proxy: see forwarded.
//   - The protocol is not HTTP/1.0, which some proxies use without adding a header.
//   - The host is localhost or a loopback address: a site whose name was made to point here comes with that name.
//
// A proxy on this machine that uses HTTP/1.1, adds no header and passes on the host of its client cannot be
// distinguished from a viewer. Use a token there.
func Local(r *http.Request) error {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return errElsewhere
	}
	if a := from.Addr().Unmap(); a != netip.AddrFrom4([4]byte{127, 0, 0, 1}) && a != netip.IPv6Loopback() {
		return errElsewhere
	}
	// A request that did not come through an http.Server does not say where it ended.
	if to, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if at, err := netip.ParseAddrPort(to.String()); err != nil || !at.Addr().Unmap().IsLoopback() {
			return errElsewhere
		}
	}
	for name := range r.Header {
		if forwarded(name) {
			return fmt.Errorf("%w: the header %s is of a proxy", errElsewhere, name)
		}
	}
	if !r.ProtoAtLeast(1, 1) {
		return fmt.Errorf("%w: %s is of a proxy", errElsewhere, r.Proto)
	}
	if !loopbackHost(r.Host) {
		return errHost
	}
	return nil
}

// What the names of headers that proxies add have in common.
var (
	forwardedNames    = []string{"via", "b3", "traceparent", "tracestate", "client-ip", "cdn-loop", "max-forwards", "remote-addr", "remote-user"}
	forwardedPrefixes = []string{"x-", "cf-", "fly-", "fastly-", "akamai-", "l5d-", "proxy-", "ssl-client-"}
	forwardedParts    = []string{"forward", "-client-ip", "-connecting-ip", "-real-ip", "proxy-"}
)

// forwarded reports whether a header is one that proxies add. All whose names begin with X- are taken for such: neither browsers
// nor curl nor Go's client send one by themselves, whereas proxies and service meshes have dozens (X-Forwarded-*, X-Real-Ip,
// X-Request-Id, X-Envoy-*, X-B3-*, X-Original-*, X-Amzn-*).
func forwarded(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	return slices.Contains(forwardedNames, name) ||
		slices.ContainsFunc(forwardedPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) ||
		slices.ContainsFunc(forwardedParts, func(part string) bool { return strings.Contains(name, part) })
}

func loopbackHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}
