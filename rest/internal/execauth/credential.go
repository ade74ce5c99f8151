package execauth

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

// The versions of the protocol between a client and a plugin. They differ in name only.
const (
	apiV1      = "client.authentication.k8s.io/v1"
	apiV1Beta1 = "client.authentication.k8s.io/v1beta1"
	kind       = "ExecCredential"
)

// Cluster describes to a plugin which cluster the credentials are for.
type Cluster struct {
	Server                   string         `json:"server"`
	TLSServerName            string         `json:"tls-server-name,omitempty"`
	InsecureSkipTLSVerify    bool           `json:"insecure-skip-tls-verify,omitempty"`
	CertificateAuthorityData []byte         `json:"certificate-authority-data,omitempty"`
	ProxyURL                 string         `json:"proxy-url,omitempty"`
	DisableCompression       bool           `json:"disable-compression,omitempty"`
	Config                   runtime.Object `json:"config,omitempty"`
}

// question is what the plugin is told, in KUBERNETES_EXEC_INFO.
type question struct {
	Kind       string       `json:"kind"`
	APIVersion string       `json:"apiVersion"`
	Spec       questionSpec `json:"spec"`
}

type questionSpec struct {
	Cluster     *Cluster `json:"cluster,omitempty"`
	Interactive bool     `json:"interactive"`
}

// answer is what the plugin prints. The time is a string here because the errors of package time quote what they could
// not parse, and a plugin that mixes up its fields would have its token quoted.
type answer struct {
	Kind       string        `json:"kind"`
	APIVersion string        `json:"apiVersion"`
	Status     *answerStatus `json:"status"`
}

type answerStatus struct {
	ExpirationTimestamp   *string `json:"expirationTimestamp"`
	Token                 string  `json:"token" datapolicy:"token"`
	ClientCertificateData string  `json:"clientCertificateData"`
	ClientKeyData         string  `json:"clientKeyData" datapolicy:"security-key"`
}

// credentials are what a plugin answered. They do not change.
type credentials struct {
	token   string            `datapolicy:"token"`
	cert    *tls.Certificate  `datapolicy:"security-key"`
	expires time.Time         // zero means never
	sum     [sha256.Size]byte // of token, certificate and key
	certSum [sha256.Size]byte // of certificate and key
}

func (c *credentials) expired(now time.Time) bool { return !c.expires.IsZero() && now.After(c.expires) }

// parseCredentials reads what a plugin printed. No error shows any of it.
func parseCredentials(output []byte, apiVersion string) (*credentials, error) {
	var a answer
	if err := json.Unmarshal(output, &a); err != nil {
		return nil, fmt.Errorf("what it printed is not an ExecCredential in JSON: %w", shape(err))
	}
	if a.Kind != kind {
		return nil, fmt.Errorf("it did not print an object of kind %s", kind)
	}
	if a.APIVersion != apiVersion {
		return nil, versionError(apiVersion, a.APIVersion)
	}
	if a.Status == nil {
		return nil, errors.New("it printed an ExecCredential without a status")
	}
	return a.Status.credentials()
}

func (s *answerStatus) credentials() (*credentials, error) {
	hasCert, hasKey := s.ClientCertificateData != "", s.ClientKeyData != ""
	switch {
	case hasCert != hasKey:
		return nil, errors.New("it returned only one of clientCertificateData and clientKeyData, and they belong together")
	case !hasCert && s.Token == "":
		return nil, errors.New("it returned neither a token nor a client certificate")
	}
	certSum := sha256.Sum256(fmt.Appendf(nil, "%q %q", s.ClientCertificateData, s.ClientKeyData))
	c := &credentials{
		token:   s.Token,
		certSum: certSum,
		sum:     sha256.Sum256(fmt.Appendf(nil, "%q %x", s.Token, certSum)),
	}
	if hasCert {
		pair, err := tls.X509KeyPair([]byte(s.ClientCertificateData), []byte(s.ClientKeyData))
		if err != nil {
			return nil, fmt.Errorf("its client certificate and key: %w", err)
		}
		c.cert = &pair
	}
	if s.ExpirationTimestamp != nil {
		t, err := time.Parse(time.RFC3339, *s.ExpirationTimestamp)
		if err != nil {
			return nil, errors.New("its status.expirationTimestamp is not a time as in RFC 3339")
		}
		c.expires = t
	}
	return c, nil
}

// versionError names the two versions, but only if the plugin's is one that exists: else it may be anything.
func versionError(want, got string) error {
	if got != apiV1 && got != apiV1Beta1 {
		return fmt.Errorf("it is configured for API version %s, and returned another that is not known", want)
	}
	return fmt.Errorf("it is configured for API version %s, and returned %s: change apiVersion in the configuration, "+
		"or take a version of the plugin that speaks it", want, got)
}

// shape keeps of a JSON error what says where it is, and drops what may quote the text.
func shape(err error) error {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch):
		return fmt.Errorf("field %q should be a %v", mismatch.Field, mismatch.Type)
	case errors.As(err, &syntax):
		return fmt.Errorf("bad syntax at byte %d", syntax.Offset)
	}
	return errors.New("it cannot be decoded")
}
