package rest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"

	"vedette.dev/transport"
)

// CopyConfig returns a copy that can be changed without changing config. Functions, the limiter, the metrics and the
// transport are shared.
func CopyConfig(config *Config) *Config {
	c := *config
	if config.ExecProvider != nil {
		c.ExecProvider = config.ExecProvider.DeepCopy()
	}
	return &c
}

// AnonymousClientConfig returns a copy without any credentials.
func AnonymousClientConfig(config *Config) *Config {
	c := CopyConfig(config)
	c.Username, c.Password = "", ""
	c.BearerToken, c.BearerTokenFile = "", ""
	c.Impersonate = ImpersonationConfig{}
	c.AuthProvider, c.AuthConfigPersister, c.ExecProvider = nil, nil, nil
	c.CertFile, c.CertData, c.KeyFile, c.KeyData = "", nil, "", nil
	// Wrappers and transports may add credentials.
	c.Transport, c.WrapTransport = nil, nil
	return c
}

// AddUserAgent sets the user agent of config to the default one followed by userAgent, and returns config.
func AddUserAgent(config *Config, userAgent string) *Config {
	config.UserAgent = DefaultKubernetesUserAgent() + "/" + userAgent
	return config
}

// SetKubernetesDefaults sets the default user agent.
func SetKubernetesDefaults(config *Config) error {
	if config.UserAgent == "" {
		config.UserAgent = DefaultKubernetesUserAgent()
	}
	return nil
}

// DefaultKubernetesUserAgent returns the name of the program, its version, the platform and the commit it was built
// from, as far as known.
func DefaultKubernetesUserAgent() string {
	command, version, commit := "unknown", "unknown", "unknown"
	if len(os.Args) > 0 && os.Args[0] != "" {
		command = filepath.Base(os.Args[0])
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value[:min(len(s.Value), 7)]
			}
		}
	}
	return fmt.Sprintf("%s/%s (%s/%s) vedette/%s", command, version, runtime.GOOS, runtime.GOARCH, commit)
}

// LoadTLSFiles reads the TLS files of config into its Data fields.
func LoadTLSFiles(c *Config) error {
	for _, f := range []struct {
		what string
		file string
		data *[]byte
	}{{"CAFile", c.CAFile, &c.CAData}, {"CertFile", c.CertFile, &c.CertData}, {"KeyFile", c.KeyFile, &c.KeyData}} {
		if len(*f.data) > 0 || f.file == "" {
			continue
		}
		data, err := os.ReadFile(f.file)
		if err != nil {
			return fmt.Errorf("%s: %w", f.what, err)
		}
		*f.data = data
	}
	return nil
}

// Wrap wraps the transport with fn, outside of existing wrappers.
func (c *Config) Wrap(fn transport.WrapperFunc) {
	c.WrapTransport = transport.Wrappers(c.WrapTransport, fn)
}

// DeepCopy returns a copy that shares nothing.
func (c *TLSClientConfig) DeepCopy() *TLSClientConfig {
	if c == nil {
		return nil
	}
	out := new(TLSClientConfig)
	c.DeepCopyInto(out)
	return out
}

// DeepCopyInto makes out a copy that shares nothing.
func (c *TLSClientConfig) DeepCopyInto(out *TLSClientConfig) {
	*out = *c
	out.CertData = slices.Clone(c.CertData)
	out.KeyData = slices.Clone(c.KeyData)
	out.CAData = slices.Clone(c.CAData)
	out.NextProtos = slices.Clone(c.NextProtos)
}
