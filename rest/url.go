package rest

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/internal/plainurl"
)

// DefaultServerURL converts a host, a host and a port, or a URL into the URL of the server and the path of a group
// version on it. Without a scheme, defaultTLS decides.
func DefaultServerURL(host, apiPath string, groupVersion schema.GroupVersion, defaultTLS bool) (*url.URL, string, error) {
	if host == "" {
		return nil, "", fmt.Errorf("host must be a URL or a host:port pair, got an empty string")
	}
	hostURL, err := url.Parse(host)
	if err != nil || hostURL.Scheme == "" || hostURL.Host == "" {
		scheme := "http://"
		if defaultTLS {
			scheme = "https://"
		}
		if hostURL, err = url.Parse(scheme + host); err != nil {
			return nil, "", fmt.Errorf("host must be a URL or a host:port pair: %w", plainurl.Error(host, err))
		}
		if hostURL.Path != "" && hostURL.Path != "/" {
			return nil, "", fmt.Errorf("host must be a URL or a host:port pair: %q has a path but no scheme", plainurl.Hide(host))
		}
	}
	return hostURL, DefaultVersionedAPIPath(apiPath, groupVersion), nil
}

// DefaultVersionedAPIPath returns the path of a group version, such as /apis/apps/v1.
func DefaultVersionedAPIPath(apiPath string, groupVersion schema.GroupVersion) string {
	return path.Join("/", apiPath, groupVersion.Group, groupVersion.Version)
}

// DefaultServerUrlFor is like [DefaultServerURL], for a [Config]. The default host is localhost.
func DefaultServerUrlFor(config *Config) (*url.URL, string, error) {
	hasCA := config.CAFile != "" || len(config.CAData) > 0
	hasCert := config.CertFile != "" || len(config.CertData) > 0
	host := config.Host
	if host == "" {
		host = "localhost"
	}
	var gv schema.GroupVersion
	if config.GroupVersion != nil {
		gv = *config.GroupVersion
	}
	return DefaultServerURL(host, config.APIPath, gv, hasCA || hasCert || config.Insecure)
}

// IsConfigTransportTLS reports whether the connection to the server uses TLS.
func IsConfigTransportTLS(config Config) bool {
	base, _, err := DefaultServerUrlFor(&config)
	return err == nil && base.Scheme == "https"
}

// NameMayNotBe are names that have a special meaning in a path.
var NameMayNotBe = []string{".", ".."}

// NameMayNotContain are characters that cannot be part of a path segment.
var NameMayNotContain = []string{"/", "%"}

// IsValidPathSegmentName returns what is wrong with a name as a whole path segment.
func IsValidPathSegmentName(name string) []string {
	for _, illegal := range NameMayNotBe {
		if name == illegal {
			return []string{fmt.Sprintf("may not be '%s'", illegal)}
		}
	}
	return IsValidPathSegmentPrefix(name)
}

// IsValidPathSegmentPrefix returns what is wrong with a name as the beginning of a path segment.
func IsValidPathSegmentPrefix(name string) []string {
	var wrong []string
	for _, illegal := range NameMayNotContain {
		if strings.Contains(name, illegal) {
			wrong = append(wrong, fmt.Sprintf("may not contain '%s'", illegal))
		}
	}
	return wrong
}

// ValidatePathSegmentName calls [IsValidPathSegmentPrefix] if prefix is true, and [IsValidPathSegmentName] otherwise.
func ValidatePathSegmentName(name string, prefix bool) []string {
	if prefix {
		return IsValidPathSegmentPrefix(name)
	}
	return IsValidPathSegmentName(name)
}
