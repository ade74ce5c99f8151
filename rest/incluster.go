package rest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
)

// ErrNotInCluster means that this process does not run in a pod, or that the pod does not have the API server's
// address.
var ErrNotInCluster = errors.New("unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined")

// Where the kubelet mounts the credentials of a pod's service account.
const (
	inClusterTokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token"
	inClusterCAFile    = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"
)

// InClusterConfig returns the [Config] for a program that runs in a pod, with the pod's service account. It returns
// [ErrNotInCluster] elsewhere.
func InClusterConfig() (*Config, error) {
	return inClusterConfig(inClusterTokenFile, inClusterCAFile)
}

func inClusterConfig(tokenFile, caFile string) (*Config, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, ErrNotInCluster
	}
	token, err := os.ReadFile(tokenFile)
	if err != nil {
		return nil, fmt.Errorf("in-cluster configuration: cannot read the service account token (is automountServiceAccountToken off?): %w", err)
	}
	config := &Config{
		Host:            "https://" + net.JoinHostPort(host, port),
		BearerToken:     strings.TrimSpace(string(token)),
		BearerTokenFile: tokenFile,
	}
	// Without a CA file, the server may still have a certificate that the system trusts.
	if _, err := os.Stat(caFile); err == nil {
		config.CAFile = caFile
	}
	return config, nil
}
