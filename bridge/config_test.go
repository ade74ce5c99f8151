package bridge_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	clientgorest "k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/flowcontrol"

	"vedette.dev/bridge"
	"vedette.dev/clientcmd/api"
	"vedette.dev/rest"
)

// filled returns a configuration in which every field is set that can be converted.
func filled(t *testing.T) *clientgorest.Config {
	t.Helper()
	c := &clientgorest.Config{
		Transport:                 http.DefaultTransport,
		WrapTransport:             func(rt http.RoundTripper) http.RoundTripper { return rt },
		RateLimiter:               flowcontrol.NewFakeAlwaysRateLimiter(),
		WarningHandler:            clientgorest.NoWarnings{},
		WarningHandlerWithContext: clientgorest.NoWarnings{},
		Dial:                      func(context.Context, string, string) (net.Conn, error) { return nil, nil },
		Proxy:                     func(*http.Request) (*url.URL, error) { return nil, nil },
	}
	c.GroupVersion = &schema.GroupVersion{Group: "g", Version: "v"}
	c.NegotiatedSerializer = scheme.Codecs
	fill(t, reflect.ValueOf(c).Elem(), "Config")
	c.AuthProvider, c.AuthConfigPersister, c.ExecProvider.Config = nil, nil, nil
	return c
}

// fill sets the fields that are not set.
func fill(t *testing.T, v reflect.Value, name string) {
	if !v.CanSet() || !v.IsZero() && v.Kind() != reflect.Struct {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	case reflect.String:
		v.SetString("of " + name)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float32:
		v.SetFloat(1.5)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), name+"[0]")
	case reflect.Uint8:
		v.SetUint(9)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(t, value, name+"[]")
		v.SetMapIndex(reflect.ValueOf("k").Convert(v.Type().Key()), value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), name)
	case reflect.Interface:
	default:
		t.Fatalf("%s is a %s, which this test does not know", name, v.Kind())
	}
}

func TestEveryFieldIsConverted(t *testing.T) {
	want := filled(t)
	converted := must[*rest.Config](t)(bridge.FromClientGo(want))
	got := must[*clientgorest.Config](t)(bridge.ToClientGo(converted))
	same(t, reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem(), "Config")
	// Nothing of one belongs to the other.
	want.CAData[0]++
	want.Impersonate.Groups[0] = "changed"
	want.ExecProvider.Args[0] = "changed"
	if got.CAData[0] == want.CAData[0] || got.Impersonate.Groups[0] == "changed" || got.ExecProvider.Args[0] == "changed" {
		t.Error("the copy has changed with the original")
	}
}

// same compares two values. Of functions and interfaces it compares only whether they are set.
func same(t *testing.T, got, want reflect.Value, name string) {
	t.Helper()
	switch want.Kind() {
	case reflect.Struct:
		for i := range want.NumField() {
			same(t, got.Field(i), want.Field(i), name+"."+want.Type().Field(i).Name)
		}
	case reflect.Func, reflect.Interface:
		if got.IsNil() != want.IsNil() {
			t.Errorf("%s: set %v, want %v", name, !got.IsNil(), !want.IsNil())
		}
	case reflect.Pointer:
		if got.IsNil() || want.IsNil() {
			if got.IsNil() != want.IsNil() {
				t.Errorf("%s: set %v, want %v", name, !got.IsNil(), !want.IsNil())
			}
			return
		}
		same(t, got.Elem(), want.Elem(), name)
	default:
		if want.IsZero() || !reflect.DeepEqual(got.Interface(), want.Interface()) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestConfigsThatCannotBeConverted(t *testing.T) {
	provider := &clientgorest.Config{BearerToken: "secret", AuthProvider: &clientcmdapi.AuthProviderConfig{Name: "gcp", Config: map[string]string{"access-token": "secret"}}}
	_, fromErr := bridge.FromClientGo(provider)
	_, toErr := bridge.ToClientGo(&rest.Config{BearerToken: "secret", AuthProvider: &api.AuthProviderConfig{Name: "gcp", Config: map[string]string{"access-token": "secret"}}})
	_, limitErr := bridge.ToClientGo(&rest.Config{MaxResponseBytes: 1})
	if c, err := bridge.ToClientGo(&rest.Config{Host: "h", AllowCBOR: true, PreferCBOR: true}); err != nil || c.Host != "h" || c.ContentType != "" {
		t.Errorf("CBOR is a preference: %v, %v", c, err)
	}
	_, nilErr := bridge.FromClientGo(nil)
	_, nilToErr := bridge.ToClientGo(nil)
	for _, err := range []error{fromErr, toErr} {
		if !errors.Is(err, bridge.ErrAuthProvider) || strings.Contains(err.Error(), "secret") {
			t.Errorf("auth provider: %v", err)
		}
	}
	for err, want := range map[error]string{limitErr: "MaxResponseBytes", nilErr: "nil", nilToErr: "nil"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one with %q", err, want)
		}
	}
}
