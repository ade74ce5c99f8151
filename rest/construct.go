package rest

import (
	"errors"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"vedette.dev/flowcontrol"
	"vedette.dev/internal/plainurl"
)

// What a Config lacks for a client to be made of it.
var (
	errNoGroupVersion = errors.New("rest.Config: GroupVersion is required when initializing a RESTClient: " +
		"set it to the group and version of the resources, such as &corev1.SchemeGroupVersion")
	errNoSerializer = errors.New("rest.Config: NegotiatedSerializer is required when initializing a RESTClient: " +
		"set it to scheme.Codecs of vedette.dev/kubernetes/scheme, or to a codec factory of your own scheme")
)

// RESTClientFor makes a client for the group and version in config.
func RESTClientFor(config *Config) (*RESTClient, error) {
	if config.GroupVersion == nil {
		return nil, errNoGroupVersion
	}
	return withHTTPClient(config, RESTClientForConfigAndClient)
}

// RESTClientForConfigAndClient is RESTClientFor with an HTTP client that is there already. The connection settings in
// config then have no effect.
func RESTClientForConfigAndClient(config *Config, httpClient *http.Client) (*RESTClient, error) {
	if config.GroupVersion == nil {
		return nil, errNoGroupVersion
	}
	return newClient(config, *config.GroupVersion, httpClient)
}

// UnversionedRESTClientFor makes a client that is not bound to a group and version: for discovery, or for paths that
// the caller writes in full.
func UnversionedRESTClientFor(config *Config) (*RESTClient, error) {
	return withHTTPClient(config, UnversionedRESTClientForConfigAndClient)
}

// UnversionedRESTClientForConfigAndClient is UnversionedRESTClientFor with an HTTP client that is there already.
func UnversionedRESTClientForConfigAndClient(config *Config, httpClient *http.Client) (*RESTClient, error) {
	gv := metav1.SchemeGroupVersion
	if config.GroupVersion != nil {
		gv = *config.GroupVersion
	}
	return newClient(config, gv, httpClient)
}

func withHTTPClient(config *Config, make func(*Config, *http.Client) (*RESTClient, error)) (*RESTClient, error) {
	if config.NegotiatedSerializer == nil {
		return nil, errNoSerializer
	}
	// A bad host is a better error than what becomes of it in the transport.
	if _, _, err := DefaultServerUrlFor(config); err != nil {
		return nil, err
	}
	httpClient, err := HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return make(config, httpClient)
}

func newClient(config *Config, gv schema.GroupVersion, httpClient *http.Client) (*RESTClient, error) {
	if config.NegotiatedSerializer == nil {
		return nil, errNoSerializer
	}
	base, versionedAPIPath, err := DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	content := ClientContentConfig{
		AcceptContentTypes: config.AcceptContentTypes,
		ContentType:        config.ContentType,
		GroupVersion:       gv,
		Negotiator:         runtime.NewClientNegotiator(config.NegotiatedSerializer, gv),
	}
	client, err := NewRESTClient(base, versionedAPIPath, content, limiterFor(config), httpClient)
	if err != nil {
		return nil, err
	}
	client.warningHandler = config.warningHandler()
	client.metrics = config.Metrics
	client.maxResponseBytes = config.MaxResponseBytes
	return client, nil
}

// limiterFor returns the limiter that config asks for. Each client has its own bucket, unless config brings one.
func limiterFor(config *Config) flowcontrol.RateLimiter {
	if config.RateLimiter != nil {
		return config.RateLimiter
	}
	qps, burst := config.QPS, config.Burst
	if qps == 0 {
		qps = DefaultQPS
	}
	if burst == 0 {
		burst = DefaultBurst
	}
	if qps < 0 {
		return nil
	}
	return flowcontrol.NewTokenBucketRateLimiter(qps, burst)
}

// HTTPClientFor makes the HTTP client that config describes.
func HTTPClientFor(config *Config) (*http.Client, error) {
	transport, err := TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a connection to %s: %w", plainurl.Hide(config.Host), err)
	}
	return &http.Client{Transport: transport, Timeout: config.Timeout}, nil
}

// CodecFactoryForGeneratedClient returns codecs. It is there for generated clients that call it.
func CodecFactoryForGeneratedClient(_ *runtime.Scheme, codecs serializer.CodecFactory) serializer.CodecFactory {
	return codecs
}
