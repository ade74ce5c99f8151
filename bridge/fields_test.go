package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	clientgorest "k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"vedette.dev/bridge"
	"vedette.dev/rest"
)

// becomes is what becomes of a field when Vedette's configuration is converted to client-go's.
type becomes string

const (
	converted becomes = "converted to the field of the same name"
	refused   becomes = "an error that names it"
	provider  becomes = "ErrAuthProvider"
	leftOut   becomes = "left out"
)

// configFields has every field of Vedette's rest.Config, with those of the structs in it.
var configFields = map[string]becomes{
	"Host":                                 converted,
	"APIPath":                              converted,
	"ContentConfig.AcceptContentTypes":     converted,
	"ContentConfig.ContentType":            converted,
	"ContentConfig.GroupVersion":           converted,
	"ContentConfig.NegotiatedSerializer":   converted,
	"Username":                             converted,
	"Password":                             converted,
	"BearerToken":                          converted,
	"BearerTokenFile":                      converted,
	"Impersonate.UserName":                 converted,
	"Impersonate.UID":                      converted,
	"Impersonate.Groups":                   converted,
	"Impersonate.Extra":                    converted,
	"AuthProvider":                         provider,
	"AuthConfigPersister":                  provider,
	"ExecProvider.Command":                 converted,
	"ExecProvider.Args":                    converted,
	"ExecProvider.Env":                     converted,
	"ExecProvider.APIVersion":              converted,
	"ExecProvider.InstallHint":             converted,
	"ExecProvider.ProvideClusterInfo":      converted,
	"ExecProvider.Config":                  converted,
	"ExecProvider.InteractiveMode":         converted,
	"ExecProvider.StdinUnavailable":        converted,
	"ExecProvider.StdinUnavailableMessage": converted,
	"ExecProvider.PluginPolicy.PolicyType": converted,
	"ExecProvider.PluginPolicy.Allowlist":  converted,
	"TLSClientConfig.Insecure":             converted,
	"TLSClientConfig.ServerName":           converted,
	"TLSClientConfig.CertFile":             converted,
	"TLSClientConfig.KeyFile":              converted,
	"TLSClientConfig.CAFile":               converted,
	"TLSClientConfig.CertData":             converted,
	"TLSClientConfig.KeyData":              converted,
	"TLSClientConfig.CAData":               converted,
	"TLSClientConfig.NextProtos":           converted,
	"UserAgent":                            converted,
	"DisableCompression":                   converted,
	"Transport":                            converted,
	"WrapTransport":                        converted,
	"QPS":                                  converted,
	"Burst":                                converted,
	"RateLimiter":                          converted,
	"WarningHandler":                       converted,
	"WarningHandlerWithContext":            converted,
	"Metrics":                              refused,
	"MaxResponseBytes":                     refused,
	"AllowCBOR":                            leftOut,
	"PreferCBOR":                           leftOut,
	"Timeout":                              converted,
	"Dial":                                 converted,
	"Proxy":                                converted,
}

// examples are values of fields that are functions or interfaces.
var examples = map[string]any{
	"ContentConfig.NegotiatedSerializer": scheme.Codecs,
	"AuthConfigPersister":                persister{},
	"ExecProvider.Config":                &corev1.ConfigMap{},
	"Transport":                          http.DefaultTransport,
	"WrapTransport":                      func(rt http.RoundTripper) http.RoundTripper { return rt },
	"RateLimiter":                        flowcontrol.NewFakeAlwaysRateLimiter(),
	"WarningHandler":                     clientgorest.NoWarnings{},
	"WarningHandlerWithContext":          clientgorest.NoWarnings{},
	"Metrics":                            otherMetrics{},
	"Dial":                               func(context.Context, string, string) (net.Conn, error) { return nil, nil },
	"Proxy":                              func(*http.Request) (*url.URL, error) { return nil, nil },
}

type persister struct{}

func (persister) Persist(map[string]string) error { return nil }

// otherMetrics are metrics that are not those of RESTMetrics.
type otherMetrics struct{ rest.Metrics }

// TestWhatBecomesOfEveryField sets one field after the other. A field that is new in Vedette's rest.Config has to be converted, refused or
// left out, and is then listed above.
func TestWhatBecomesOfEveryField(t *testing.T) {
	paths := fieldsOf(reflect.TypeFor[rest.Config](), "")
	for _, path := range slices.Sorted(maps.Keys(configFields)) {
		if !slices.Contains(paths, path) {
			t.Errorf("rest.Config has no field %s any more", path)
		}
	}
	for _, path := range paths {
		c := &rest.Config{}
		set := field(reflect.ValueOf(c).Elem(), path)
		if example, ok := examples[path]; ok {
			set.Set(reflect.ValueOf(example).Convert(set.Type()))
		} else {
			fill(t, set, path)
		}
		if set.IsZero() {
			t.Errorf("%s is not set: it needs an example", path)
			continue
		}
		got, err := bridge.ToClientGo(c)
		switch what := configFields[path]; what {
		case converted:
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			its := field(reflect.ValueOf(got).Elem(), path)
			if its.IsZero() {
				t.Errorf("%s is lost", path)
			} else if kind := its.Kind(); kind != reflect.Func && kind != reflect.Interface && fmt.Sprint(parts(its)) != fmt.Sprint(parts(set)) {
				t.Errorf("%s is %v, want %v", path, parts(its), parts(set))
			}
		case refused:
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v, want an error that names it", path, err)
			}
		case provider:
			if !errors.Is(err, bridge.ErrAuthProvider) {
				t.Errorf("%s: %v, want ErrAuthProvider", path, err)
			}
		case leftOut:
			if err != nil || !reflect.DeepEqual(got, &clientgorest.Config{}) {
				t.Errorf("%s: %v, %v, want an empty configuration", path, got, err)
			}
		default:
			t.Errorf("%s is new: ToClientGo and FromClientGo have to convert it, or ToClientGo to refuse it, and configFields to say which", path)
		}
	}
}

// fieldsOf returns the paths of the fields of a struct, and of the structs of Vedette in it, but AuthProvider.
func fieldsOf(t reflect.Type, prefix string) []string {
	var paths []string
	for i := range t.NumField() {
		f, path := t.Field(i), prefix+t.Field(i).Name
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && strings.HasPrefix(inner.PkgPath(), "vedette.dev/") && path != "AuthProvider" {
			paths = append(paths, fieldsOf(inner, path+".")...)
		} else {
			paths = append(paths, path)
		}
	}
	return paths
}

// field returns the field at a path, and makes the structs on the way.
func field(v reflect.Value, path string) reflect.Value {
	for name := range strings.SplitSeq(path, ".") {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.FieldByName(name)
	}
	return v
}

// parts returns a value without its type, whose String method may hide what is secret.
func parts(v reflect.Value) any {
	var all []any
	switch v.Kind() {
	case reflect.Pointer:
		return parts(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, parts(v.Field(i)))
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, parts(v.Index(i)))
		}
	default:
		return v.Interface()
	}
	return all
}

func TestConfigsWithAPersisterOrMetrics(t *testing.T) {
	if _, err := bridge.FromClientGo(&clientgorest.Config{AuthConfigPersister: persister{}}); !errors.Is(err, bridge.ErrAuthProvider) {
		t.Errorf("AuthConfigPersister: %v", err)
	}
	if _, err := bridge.ToClientGo(&rest.Config{Password: "secret", Metrics: otherMetrics{}}); err == nil ||
		!strings.Contains(err.Error(), "Metrics") || strings.Contains(err.Error(), "secret") {
		t.Errorf("Metrics: %v", err)
	}
}
