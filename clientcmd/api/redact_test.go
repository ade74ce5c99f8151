package api

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRedactSecrets(t *testing.T) {
	config := secretive()
	config.AuthInfos["other"] = &AuthInfo{Username: "somebody"}
	config.AuthInfos["nil"] = nil
	if err := RedactSecrets(config); err != nil {
		t.Fatal(err)
	}
	user := config.AuthInfos["user"]
	for name, got := range map[string]string{
		"token": user.Token, "password": user.Password, "key": string(user.ClientKeyData),
		"auth provider": user.AuthProvider.Config["refresh-token"],
	} {
		if got != "REDACTED" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if other := config.AuthInfos["other"]; other.Token != "" || other.Password != "" || other.ClientKeyData != nil || other.Username != "somebody" {
		t.Errorf("what was not there appears: %v", other)
	}
	if err := RedactSecrets(nil); err != nil {
		t.Error(err)
	}
}

func TestShortenConfig(t *testing.T) {
	config := secretive()
	config.AuthInfos["user"].ClientCertificateData = []byte("certificate")
	config.AuthInfos["nil"], config.Clusters["nil"] = nil, nil
	ShortenConfig(config)
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"client-key-data", "client-certificate-data", "certificate-authority-data"} {
		if want := `"` + field + `":"DATA+OMITTED"`; !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if got := config.AuthInfos["user"].Token; got != "REDACTED" {
		t.Errorf("token %q", got)
	}
}

func TestScheme(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kinds, _, err := scheme.ObjectKinds(NewConfig())
	if err != nil || len(kinds) != 1 || kinds[0] != SchemeGroupVersion.WithKind("Config") {
		t.Errorf("%v, %v", kinds, err)
	}
	config := NewConfig()
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "Config"}
	config.GetObjectKind().SetGroupVersionKind(gvk)
	if config.GroupVersionKind() != gvk || config.APIVersion != "v1" || config.Kind != "Config" {
		t.Error(config.APIVersion, config.Kind)
	}
}

func TestNew(t *testing.T) {
	NewConfig().Extensions["x"] = nil
	NewCluster().Extensions["x"] = nil
	NewContext().Extensions["x"] = nil
	NewPreferences().Extensions["x"] = nil
	user := NewAuthInfo()
	user.Extensions["x"], user.ImpersonateUserExtra["x"] = nil, nil
}
