package rest

import (
	"errors"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"

	"vedette.dev/flowcontrol"
	"vedette.dev/internal/plainurl"
)

// Errors of an incomplete Config.
var (
	errNoGroupVersion = errors.New("rest.Config: GroupVersion is required when initializing a RESTClient: " +
		"set it to the group and version of the resources, such as &corev1.SchemeGroupVersion")
	errNoSerializer = errors.New("rest.Config: NegotiatedSerializer is required when initializing a RESTClient: " +
		"set it to scheme.Codecs of vedette.dev/kubernetes/scheme, or to a codec factory of your own scheme")
)

// RESTClientFor returns a client for the group and version in config.
func RESTClientFor(config *Config) (*RESTClient, error) {
	if config.GroupVersion == nil {
		return nil, errNoGroupVersion
	}
	return withHTTPClient(config, RESTClientForConfigAndClient)
}

// RESTClientForConfigAndClient is like [RESTClientFor], with a given HTTP client. The connection settings in config have
// no effect.
func RESTClientForConfigAndClient(config *Config, httpClient *http.Client) (*RESTClient, error) {
	if config.GroupVersion == nil {
		return nil, errNoGroupVersion
	}
	return newClient(config, *config.GroupVersion, httpClient)
}

// UnversionedRESTClientFor returns a client without a group and version: for discovery, or for absolute paths.
func UnversionedRESTClientFor(config *Config) (*RESTClient, error) {
	return withHTTPClient(config, UnversionedRESTClientForConfigAndClient)
}

// UnversionedRESTClientForConfigAndClient is like [UnversionedRESTClientFor], with a given HTTP client.
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
	// Check the host here, because the error of the transport would be less clear.
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
	client.cbor = cborUseOf(config)
	return client, nil
}

// limiterFor returns the rate limiter for config. Each client has its own bucket, unless config has a RateLimiter.
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

// HTTPClientFor returns the HTTP client for config.
func HTTPClientFor(config *Config) (*http.Client, error) {
	transport, err := TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("cannot create the transport for %s: %w", plainurl.Hide(config.Host), err)
	}
	return &http.Client{Transport: transport, Timeout: config.Timeout}, nil
}

// CodecFactoryForGeneratedClient returns the codecs of a scheme with CBOR, which those of serializer.NewCodecFactory do not
// have: Config.AllowCBOR and PreferCBOR need it. Generated clients call it.
func CodecFactoryForGeneratedClient(scheme *runtime.Scheme, _ serializer.CodecFactory) serializer.CodecFactory {
	return serializer.NewCodecFactory(scheme, serializer.WithSerializer(cbor.NewSerializerInfo))
}
