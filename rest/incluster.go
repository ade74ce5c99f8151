package rest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
)

// ErrNotInCluster says that this process does not run in a pod, or in one without the API server's address.
var ErrNotInCluster = errors.New("unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined")

// Where the kubelet puts the credentials of a pod's service account.
const (
	inClusterTokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token"
	inClusterCAFile    = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"
)

// InClusterConfig is the Config for a program that runs in a pod, with the pod's service account. It returns
// ErrNotInCluster elsewhere.
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
		return nil, fmt.Errorf("in-cluster configuration: the token of the service account: %w; is automountServiceAccountToken off?", err)
	}
	config := &Config{
		Host:            "https://" + net.JoinHostPort(host, port),
		BearerToken:     strings.TrimSpace(string(token)),
		BearerTokenFile: tokenFile,
	}
	// Without a CA of the cluster's, the server may still have a certificate that the system trusts.
	if _, err := os.Stat(caFile); err == nil {
		config.CAFile = caFile
	}
	return config, nil
}
