package streamconn

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"vedette.dev/rest"
	"vedette.dev/transport"
)

// Dialing is how connections to a server are opened, as its rest.Config says.
type Dialing struct {
	// Transport opens connections for HTTP/1.1, each for one request. It is nil if there is Other.
	Transport *http.Transport
	// Other is a Config.Transport that is not an *http.Transport.
	Other http.RoundTripper
	// Wrap adds credentials and wrappers.
	Wrap func(http.RoundTripper) (http.RoundTripper, error)
}

// DialingFor returns how the server of config is reached.
func DialingFor(config *rest.Config) (*Dialing, error) {
	if config == nil {
		return nil, errors.New("rest.Config is nil")
	}
	c, err := config.TransportConfig()
	if err != nil {
		return nil, err
	}
	d := &Dialing{Wrap: func(rt http.RoundTripper) (http.RoundTripper, error) {
		return transport.HTTPWrappersForConfig(c, rt)
	}}
	switch own := c.Transport.(type) {
	case nil:
		d.Transport, err = transportFor(c)
	case *http.Transport:
		d.Transport = own.Clone()
	default:
		d.Other = own
	}
	if err == nil && c.Transport != nil {
		_, err = transport.New(c) // reports options that a Transport would ignore
	}
	if err != nil {
		return nil, err
	}
	if d.Transport != nil {
		onlyHTTP1(d.Transport)
	}
	return d, nil
}

func transportFor(c *transport.Config) (*http.Transport, error) {
	tlsConfig, err := transport.TLSConfigFor(c)
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		TLSClientConfig:     tlsConfig,
		TLSHandshakeTimeout: 10 * time.Second,
		Proxy:               c.Proxy,
		// As in package transport.
		DialContext: (&net.Dialer{
			Timeout:         30 * time.Second,
			KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 20 * time.Second, Interval: 5 * time.Second, Count: 4},
		}).DialContext,
	}
	if t.Proxy == nil {
		t.Proxy = http.ProxyFromEnvironment
	}
	if c.DialHolder != nil {
		t.DialContext = c.DialHolder.Dial
	}
	return t, nil
}

// onlyHTTP1 makes t offer no HTTP/2, which has no upgrades.
func onlyHTTP1(t *http.Transport) {
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	t.ForceAttemptHTTP2 = false
	t.TLSNextProto = nil
	t.DisableKeepAlives = true
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	} else {
		t.TLSClientConfig = t.TLSClientConfig.Clone()
	}
	protos := slices.DeleteFunc(slices.Clone(t.TLSClientConfig.NextProtos), func(p string) bool { return p == "h2" })
	if len(protos) == 0 {
		protos = []string{"http/1.1"}
	}
	t.TLSClientConfig.NextProtos = protos
}

// RequestError returns the error of a request without its URL: parameters of exec are the command, which may contain secrets.
func RequestError(req *http.Request, err error) error {
	var inURL *url.Error
	if errors.As(err, &inURL) {
		err = inURL.Err
	}
	var r *refused
	if errors.As(err, &r) { // it has what the server says
		return r
	}
	return fmt.Errorf("%s %s%s: %w", req.Method, req.URL.Host, req.URL.Path, err)
}
