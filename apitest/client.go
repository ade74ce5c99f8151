package apitest

import (
	"encoding/base64"

	"sigs.k8s.io/yaml"

	"vedette.dev/rest"
)

// URL returns the address of the server. Without a socket, only clients with the Dial of RESTConfig can reach it.
func (s *Server) URL() string {
	switch {
	case s.pipes != nil, s.direct != nil:
		return "http://apitest"
	case s.cert != nil:
		return "https://" + s.listener.Addr().String()
	}
	return "http://" + s.listener.Addr().String()
}

// RESTConfig returns a client configuration for this server, with the token of an administrator. Clients are not
// throttled, and responses are not compressed. The caller may modify it.
func (s *Server) RESTConfig() *rest.Config {
	config := &rest.Config{
		Host:               s.URL(),
		BearerToken:        s.token,
		QPS:                -1,
		DisableCompression: true,
	}
	if s.cert != nil {
		config.CAData = s.cert.pem
	}
	if s.pipes != nil {
		config.Dial = s.pipes.Dial
	}
	if s.direct != nil {
		config.Transport, config.DisableCompression = s.direct, false
	}
	return config
}

// Kubeconfig returns the configuration for other programs, such as kubectl.
func (s *Server) Kubeconfig() []byte {
	type object = map[string]any
	cluster := object{"server": s.URL()}
	if s.cert != nil {
		cluster["certificate-authority-data"] = base64.StdEncoding.EncodeToString(s.cert.pem)
	}
	data, err := yaml.Marshal(object{
		"apiVersion":      "v1",
		"kind":            "Config",
		"clusters":        []object{{"name": "apitest", "cluster": cluster}},
		"users":           []object{{"name": "admin", "user": object{"token": s.token}}},
		"contexts":        []object{{"name": "apitest", "context": object{"cluster": "apitest", "user": "admin"}}},
		"current-context": "apitest",
	})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return data
}
