package clientcmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	clientcmdapi "vedette.dev/clientcmd/api"
)

func TestBuildConfigFromFlags(t *testing.T) {
	outside(t)
	path := file(t, "config", sample)
	// Neither of these is looked at.
	t.Setenv("KUBECONFIG", path)
	t.Setenv("HOME", filepath.Dir(path))

	_, err := BuildConfigFromFlags("", "")
	if err == nil || err.Error() != "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable" {
		t.Errorf("nothing: %v", err)
	}
	if !IsEmptyConfig(err) {
		t.Error("nothing is not empty")
	}

	config, err := BuildConfigFromFlags("", path)
	if err != nil || config.Host != "https://prod.example:6443" || config.BearerToken != "s3cret" || string(config.CAData) != "CA" {
		t.Errorf("a path: %v, %v", config, err)
	}
	config, err = BuildConfigFromFlags("https://master", path)
	if err != nil || config.Host != "https://master" || config.BearerToken != "s3cret" || string(config.CAData) != "CA" {
		t.Errorf("a path and a master: %v, %v", config, err)
	}
	config, err = BuildConfigFromFlags("https://master", "")
	if err != nil || config.Host != "https://master" || config.BearerToken != "" {
		t.Errorf("a master: %v, %v", config, err)
	}
	missing := filepath.Join(filepath.Dir(path), "missing")
	_, err = BuildConfigFromFlags("", missing)
	wantError(t, err, missing)
	if !os.IsNotExist(err) {
		t.Errorf("a file that does not exist: %v", err)
	}
	_, err = BuildConfigFromFlags("", filepath.Dir(path))
	wantError(t, err, filepath.Dir(path), "directory")
}

func TestBuildConfigFromFlagsInBrokenPod(t *testing.T) {
	outside(t)
	if _, err := os.Stat("/var/run/secrets/kubernetes.io/serviceaccount/token"); err == nil {
		t.Skip("this is a pod")
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	_, err := BuildConfigFromFlags("", "")
	wantError(t, err, "no configuration has been provided", "in-cluster config", "token")
	if !IsEmptyConfig(err) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("IsEmptyConfig %t, ErrNotExist %t", IsEmptyConfig(err), errors.Is(err, fs.ErrNotExist))
	}
}

func TestBuildConfigFromKubeconfigGetter(t *testing.T) {
	outside(t)
	config, err := BuildConfigFromKubeconfigGetter("https://master", func() (*clientcmdapi.Config, error) { return Load([]byte(sample)) })
	if err != nil || config.Host != "https://master" || config.BearerToken != "s3cret" {
		t.Errorf("%v, %v", config, err)
	}
	broken := errors.New("broken")
	if _, err := BuildConfigFromKubeconfigGetter("", func() (*clientcmdapi.Config, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	_, err = BuildConfigFromKubeconfigGetter("", func() (*clientcmdapi.Config, error) { return nil, nil })
	wantError(t, err, "neither a config nor an error")
	_, err = BuildConfigFromKubeconfigGetter("", nil)
	wantError(t, err, "nil")
	getter := &ClientConfigGetter{func() (*clientcmdapi.Config, error) { return Load([]byte(sample)) }}
	if config, err := getter.GetStartingConfig(); err != nil || config.CurrentContext != "prod" {
		t.Errorf("%v, %v", config, err)
	}
	if getter.GetLoadingPrecedence() != nil || getter.GetDefaultFilename()+getter.GetExplicitFile() != "" || getter.IsExplicitFile() || getter.IsDefaultConfig(nil) {
		t.Error("a getter has files")
	}
}
