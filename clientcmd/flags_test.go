package clientcmd

import (
	"reflect"
	"strings"
	"testing"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// flagValue stands for pflag.Value: a type of its own, as there.
type flagValue interface {
	String() string
	Set(string) error
	Type() string
}

// flagSet has the methods of a pflag.FlagSet. It sets what it is bound to at once.
type flagSet struct {
	names      map[string]string // with the shorthand
	classified map[string]bool
}

func (f *flagSet) add(name, shorthand string) {
	if f.names == nil {
		f.names, f.classified = map[string]string{}, map[string]bool{}
	}
	f.names[name] = shorthand
}

func (f *flagSet) StringVarP(p *string, name, shorthand string, value string, usage string) {
	f.add(name, shorthand)
	*p = "value of " + name
}

func (f *flagSet) StringArrayVarP(p *[]string, name, shorthand string, value []string, usage string) {
	f.add(name, shorthand)
	*p = append(value, "value of "+name)
}

func (f *flagSet) BoolVarP(p *bool, name, shorthand string, value bool, usage string) {
	f.add(name, shorthand)
	*p = !value
}

func (f *flagSet) SetAnnotation(name, key string, values []string) error {
	f.classified[name] = key == "classified" && values[0] == "true"
	return nil
}

func (f *flagSet) VarP(value flagValue, name, shorthand, usage string) {
	f.add(name, shorthand)
	if value.Type() != "string" || value.String() != "" {
		panic("not an empty string")
	}
	if err := value.Set("ns/value of " + name); err != nil {
		panic(err)
	}
}

func TestBindOverrideFlags(t *testing.T) {
	flags, overrides := &flagSet{}, &ConfigOverrides{}
	BindOverrideFlags(overrides, flags, RecommendedConfigOverrideFlags("p-"))
	want := &ConfigOverrides{
		AuthInfo: clientcmdapi.AuthInfo{
			ClientCertificate: "value of p-client-certificate", ClientKey: "value of p-client-key", Token: "value of p-token",
			Impersonate: "value of p-as", ImpersonateUID: "value of p-as-uid", ImpersonateGroups: []string{"value of p-as-group"},
			Username: "value of p-username", Password: "value of p-password",
		},
		ClusterInfo: clientcmdapi.Cluster{
			Server: "value of p-server", CertificateAuthority: "value of p-certificate-authority", InsecureSkipTLSVerify: true,
			TLSServerName: "value of p-tls-server-name", ProxyURL: "value of p-proxy-url", DisableCompression: true,
		},
		Context:        clientcmdapi.Context{Cluster: "value of p-cluster", AuthInfo: "value of p-user", Namespace: "value of p-namespace"},
		CurrentContext: "value of p-context",
		Timeout:        "value of p-request-timeout",
	}
	if !reflect.DeepEqual(overrides, want) {
		t.Errorf("got  %+v\nwant %+v", overrides, want)
	}
	if flags.names["p-namespace"] != "n" || len(flags.names) != 19 {
		t.Errorf("%v", flags.names)
	}
	for name := range flags.names {
		if flags.classified[name] != isOfUser(name) {
			t.Errorf("%s: classified %t", name, flags.classified[name])
		}
	}
}

func isOfUser(flag string) bool {
	switch strings.TrimPrefix(flag, "p-") {
	case FlagCertFile, FlagKeyFile, FlagBearerToken, FlagImpersonate, FlagImpersonateUID, FlagImpersonateGroup, FlagUsername, FlagPassword:
		return true
	}
	return false
}

func TestFlagsWithoutNameAreNotBound(t *testing.T) {
	flags, overrides := &flagSet{classified: map[string]bool{}}, &ConfigOverrides{}
	BindOverrideFlags(overrides, flags, ConfigOverrideFlags{})
	if len(flags.names) != 0 || !reflect.DeepEqual(overrides, &ConfigOverrides{}) {
		t.Errorf("%v, %v", flags.names, overrides)
	}
}

func TestFlagDefaults(t *testing.T) {
	flags, groups, yes, text := &flagSet{}, []string(nil), false, ""
	FlagInfo{LongName: "groups", Default: "d"}.BindStringArrayFlag(flags, &groups)
	FlagInfo{LongName: "yes", Default: "true"}.BindBoolFlag(flags, &yes)
	if !reflect.DeepEqual(groups, []string{"d", "value of groups"}) || yes {
		t.Error(groups, yes)
	}
	value := &transformingValue{&text, func(string) (string, error) { return "", ErrNoContext }}
	if err := value.Set("x"); err != ErrNoContext || text != "" {
		t.Error(err, text)
	}
}

type noVarP struct{ FlagSet }

type otherVarP struct{ FlagSet }

func (otherVarP) VarP(int, string, string, string) {}

func TestFlagSetWithoutVarP(t *testing.T) {
	for _, flags := range []FlagSet{noVarP{}, otherVarP{}} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, "cannot bind --x") || !strings.Contains(text, "VarP") {
					t.Errorf("%T: %s", flags, text)
				}
			}()
			text := ""
			FlagInfo{LongName: "x"}.BindTransformingStringFlag(flags, &text, RemoveNamespacesPrefix)
		}()
	}
}

func TestRemoveNamespacesPrefix(t *testing.T) {
	for value, want := range map[string]string{
		"a": "a", "ns/a": "a", "NS/a": "a", "namespace/a": "a", "Namespaces/a": "a", "ns/": "ns/", "ns/ns/a": "ns/a", "pods/a": "pods/a", "": "",
	} {
		if got, err := RemoveNamespacesPrefix(value); got != want || err != nil {
			t.Errorf("%s: %s, %v", value, got, err)
		}
	}
}
