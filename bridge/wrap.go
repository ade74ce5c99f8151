package bridge

import (
	"errors"
	"net/http"
	"reflect"

	clientgorest "k8s.io/client-go/rest"
	clientgotransport "k8s.io/client-go/transport"

	"vedette.dev/bridge/internal/capture"
)

// ErrWrapped is returned for a configuration that WrapConfig has returned.
var ErrWrapped = errors.New("bridge: the configuration is already wrapped")

// WrapConfig returns a copy of a configuration whose clients hand the bytes of lists and watches to informers. For all other requests
// nothing changes. It returns ErrWrapped for a configuration that is wrapped.
//
// Wrap it last: an http.RoundTripper that is added later, and reads answers, makes informers fall back to decoded objects.
func WrapConfig(config *clientgorest.Config) (*clientgorest.Config, error) {
	if config == nil {
		return nil, errors.New("bridge: the configuration is nil")
	}
	if wrapCode(config.WrapTransport) == capturingCode {
		return nil, ErrWrapped
	}
	out := clientgorest.CopyConfig(config)
	out.WrapTransport = capturing(config.WrapTransport)
	return out, nil
}

// WrapHTTPClient is WrapConfig for programs that make their http.Client themselves.
func WrapHTTPClient(client *http.Client) (*http.Client, error) {
	if client == nil {
		return nil, errors.New("bridge: the HTTP client is nil")
	}
	out, ok := capture.Client(client)
	if !ok {
		return nil, ErrWrapped
	}
	return out, nil
}

// capturing returns a function that wraps a transport in what another function makes of it, and in that of package capture.
//
//go:noinline
func capturing(before clientgotransport.WrapperFunc) clientgotransport.WrapperFunc {
	return func(rt http.RoundTripper) http.RoundTripper {
		if before != nil {
			rt = before(rt)
		}
		return capture.Transport(rt)
	}
}

// Every function that capturing has returned has the same code.
var capturingCode = wrapCode(capturing(nil))

func wrapCode(f clientgotransport.WrapperFunc) uintptr { return reflect.ValueOf(f).Pointer() }
