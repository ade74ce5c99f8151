package clientcmd

import (
	"encoding/base64"
	stdjson "encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// decode decodes the on-disk format from JSON. Field names are case-sensitive, unlike in encoding/json.
func decode(data []byte) (*clientcmdapi.Config, error) {
	var disk diskConfig
	if err := json.Unmarshal(data, &disk); err != nil {
		return nil, jsonProblem(err)
	}
	if disk.Kind != "" && disk.Kind != "Config" || disk.APIVersion != "" && disk.APIVersion != "v1" {
		return nil, fmt.Errorf("kind %q of apiVersion %q is not a kubeconfig: want kind Config of apiVersion v1", disk.Kind, disk.APIVersion)
	}
	config := clientcmdapi.NewConfig()
	config.CurrentContext = disk.CurrentContext
	config.Preferences.Colors = disk.Preferences.Colors
	var err error
	if config.Preferences.Extensions, err = decodeExtensions(nil, disk.Preferences.Extensions); err != nil {
		return nil, fmt.Errorf("preferences: %w", err)
	}
	if err := decodeList("cluster", disk.Clusters, config.Clusters, decodeCluster); err != nil {
		return nil, err
	}
	if err := decodeList("user", disk.Users, config.AuthInfos, decodeUser); err != nil {
		return nil, err
	}
	if err := decodeList("context", disk.Contexts, config.Contexts, decodeContext); err != nil {
		return nil, err
	}
	if config.Extensions, err = decodeExtensions(config.Extensions, disk.Extensions); err != nil {
		return nil, err
	}
	return config, nil
}

// decodeList decodes each entry into a D, converts it, and adds it to the map.
func decodeList[D, V any](kind string, list []stdjson.RawMessage, into map[string]V, convert func(D) (string, V, error)) error {
	for i, raw := range list {
		var d D
		problem := json.Unmarshal(raw, &d)
		name, v, err := convert(d)
		if problem != nil {
			// After a field of the wrong type the decoder continues, so the name is set.
			err = jsonProblem(problem)
		}
		if err != nil && name == "" {
			return fmt.Errorf("%s %d of the list: %w", kind, i+1, err)
		}
		if err != nil {
			return fmt.Errorf("%s %q: %w", kind, name, err)
		}
		if _, twice := into[name]; twice {
			return fmt.Errorf("duplicate %s %q", kind, name)
		}
		into[name] = v
	}
	return nil
}

func decodeCluster(d namedCluster) (string, *clientcmdapi.Cluster, error) {
	cluster := d.Cluster.Cluster
	err := decodeData("certificate-authority-data", d.Cluster.CertificateAuthorityData, &cluster.CertificateAuthorityData)
	if err == nil {
		cluster.Extensions, err = decodeExtensions(map[string]runtime.Object{}, d.Cluster.Extensions)
	}
	return d.Name, &cluster, err
}

func decodeContext(d namedContext) (_ string, _ *clientcmdapi.Context, err error) {
	context := d.Context.Context
	context.Extensions, err = decodeExtensions(map[string]runtime.Object{}, d.Context.Extensions)
	return d.Name, &context, err
}

func decodeUser(d namedUser) (_ string, _ *clientcmdapi.AuthInfo, err error) {
	u := d.User
	user := &clientcmdapi.AuthInfo{
		ClientCertificate:    u.ClientCertificate,
		ClientKey:            u.ClientKey,
		Token:                u.Token,
		TokenFile:            u.TokenFile,
		Impersonate:          u.Impersonate,
		ImpersonateUID:       u.ImpersonateUID,
		ImpersonateGroups:    u.ImpersonateGroups,
		ImpersonateUserExtra: u.ImpersonateUserExtra,
		Username:             u.Username,
		Password:             u.Password,
		AuthProvider:         (*clientcmdapi.AuthProviderConfig)(u.AuthProvider),
		Exec:                 u.Exec,
	}
	if user.Exec != nil {
		defaultExec(user.Exec)
	}
	if err := decodeData("client-certificate-data", u.ClientCertificateData, &user.ClientCertificateData); err != nil {
		return d.Name, nil, err
	}
	if err := decodeData("client-key-data", u.ClientKeyData, &user.ClientKeyData); err != nil {
		return d.Name, nil, err
	}
	user.Extensions, err = decodeExtensions(map[string]runtime.Object{}, u.Extensions)
	return d.Name, user, err
}

// defaultExec sets the defaults for plugin versions before v1.
func defaultExec(exec *clientcmdapi.ExecConfig) {
	switch exec.APIVersion {
	case "client.authentication.k8s.io/v1alpha1", "client.authentication.k8s.io/v1beta1":
		if exec.InteractiveMode == "" {
			exec.InteractiveMode = clientcmdapi.IfAvailableExecInteractiveMode
		}
	}
}

// decodeExtensions keeps the extensions undecoded: only the program that wrote them knows their types.
func decodeExtensions(into map[string]runtime.Object, list []stdjson.RawMessage) (map[string]runtime.Object, error) {
	if into == nil && len(list) > 0 {
		into = map[string]runtime.Object{}
	}
	return into, decodeList("extension", list, into, func(d namedExtension) (string, runtime.Object, error) {
		if len(d.Extension) == 0 || string(d.Extension) == "null" {
			return d.Name, nil, nil
		}
		return d.Name, &runtime.Unknown{Raw: d.Extension, ContentType: runtime.ContentTypeJSON}, nil
	})
}

func decodeData(field, text string, into *[]byte) error {
	if text == "" {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("%s is not base64: %w", field, err)
	}
	*into = data
	return nil
}
