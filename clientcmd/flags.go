package clientcmd

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// FlagSet is the part of a *pflag.FlagSet (github.com/spf13/pflag, also used by cobra) that binding flags needs. This
// package does not import pflag.
//
// BindTransformingStringFlag also needs VarP, which is not part of the interface: the type of its first parameter,
// Value, is pflag's own.
type FlagSet interface {
	StringVarP(p *string, name, shorthand string, value string, usage string)
	StringArrayVarP(p *[]string, name, shorthand string, value []string, usage string)
	BoolVarP(p *bool, name, shorthand string, value bool, usage string)
	SetAnnotation(name, key string, values []string) error
}

// FlagInfo describes a flag. Programs modify the results of Recommended… functions, and bind them.
type FlagInfo struct {
	// LongName is the name. A flag without one is not bound.
	LongName string
	// ShortName is a letter, or "".
	ShortName string
	// Default is the value when the flag is not given.
	Default string
	// Description is for the help text.
	Description string
}

// AddSecretAnnotation marks a flag as holding a secret.
func (f FlagInfo) AddSecretAnnotation(flags FlagSet) FlagInfo {
	// The only possible error is a missing flag: a FlagInfo without a name is not bound.
	_ = flags.SetAnnotation(f.LongName, "classified", []string{"true"})
	return f
}

// BindStringFlag binds the flag to target.
func (f FlagInfo) BindStringFlag(flags FlagSet, target *string) FlagInfo {
	if f.LongName != "" {
		flags.StringVarP(target, f.LongName, f.ShortName, f.Default, f.Description)
	}
	return f
}

// BindStringArrayFlag binds the flag, which may be repeated, to target.
func (f FlagInfo) BindStringArrayFlag(flags FlagSet, target *[]string) FlagInfo {
	if f.LongName != "" {
		def := []string{}
		if f.Default != "" {
			def = []string{f.Default}
		}
		flags.StringArrayVarP(target, f.LongName, f.ShortName, def, f.Description)
	}
	return f
}

// BindBoolFlag binds the flag to target. A Default that is neither true nor false is false.
func (f FlagInfo) BindBoolFlag(flags FlagSet, target *bool) FlagInfo {
	if f.LongName != "" {
		def, _ := strconv.ParseBool(f.Default)
		flags.BoolVarP(target, f.LongName, f.ShortName, def, f.Description)
	}
	return f
}

// BindTransformingStringFlag binds the flag to target; its value is passed through transformer. It panics if flags has
// no VarP like that of pflag.
func (f FlagInfo) BindTransformingStringFlag(flags FlagSet, target *string, transformer func(string) (string, error)) FlagInfo {
	if f.LongName == "" {
		return f
	}
	*target = f.Default
	value := &transformingValue{target, transformer}
	if !callVarP(flags, value, f.LongName, f.ShortName, f.Description) {
		panic(fmt.Sprintf("clientcmd: cannot bind --%s: %T has no method VarP(pflag.Value, string, string, string)", f.LongName, flags))
	}
	return f
}

// callVarP calls the method VarP of flags, if it has one that takes these arguments.
func callVarP(flags FlagSet, args ...any) bool {
	method := reflect.ValueOf(flags).MethodByName("VarP")
	if !method.IsValid() || method.Type().NumIn() != len(args) {
		return false
	}
	in := make([]reflect.Value, len(args))
	for i, arg := range args {
		in[i] = reflect.ValueOf(arg)
		if !in[i].Type().AssignableTo(method.Type().In(i)) {
			return false
		}
	}
	method.Call(in)
	return true
}

// transformingValue implements pflag.Value.
type transformingValue struct {
	target    *string
	transform func(string) (string, error)
}

func (v *transformingValue) Set(text string) error {
	text, err := v.transform(text)
	if err == nil {
		*v.target = text
	}
	return err
}

func (v *transformingValue) Type() string   { return "string" }
func (v *transformingValue) String() string { return *v.target }

// BindOverrideFlags binds flags to overrides.
func BindOverrideFlags(overrides *ConfigOverrides, flags FlagSet, flagNames ConfigOverrideFlags) {
	BindAuthInfoFlags(&overrides.AuthInfo, flags, flagNames.AuthOverrideFlags)
	BindClusterFlags(&overrides.ClusterInfo, flags, flagNames.ClusterOverrideFlags)
	BindContextFlags(&overrides.Context, flags, flagNames.ContextOverrideFlags)
	flagNames.CurrentContext.BindStringFlag(flags, &overrides.CurrentContext)
	flagNames.Timeout.BindStringFlag(flags, &overrides.Timeout)
}

// BindAuthInfoFlags binds flags to authInfo. All of them are marked as secrets.
func BindAuthInfoFlags(authInfo *clientcmdapi.AuthInfo, flags FlagSet, flagNames AuthOverrideFlags) {
	flagNames.ClientCertificate.BindStringFlag(flags, &authInfo.ClientCertificate).AddSecretAnnotation(flags)
	flagNames.ClientKey.BindStringFlag(flags, &authInfo.ClientKey).AddSecretAnnotation(flags)
	flagNames.Token.BindStringFlag(flags, &authInfo.Token).AddSecretAnnotation(flags)
	flagNames.Impersonate.BindStringFlag(flags, &authInfo.Impersonate).AddSecretAnnotation(flags)
	flagNames.ImpersonateUID.BindStringFlag(flags, &authInfo.ImpersonateUID).AddSecretAnnotation(flags)
	flagNames.ImpersonateGroups.BindStringArrayFlag(flags, &authInfo.ImpersonateGroups).AddSecretAnnotation(flags)
	flagNames.Username.BindStringFlag(flags, &authInfo.Username).AddSecretAnnotation(flags)
	flagNames.Password.BindStringFlag(flags, &authInfo.Password).AddSecretAnnotation(flags)
}

// BindClusterFlags binds flags to clusterInfo.
func BindClusterFlags(clusterInfo *clientcmdapi.Cluster, flags FlagSet, flagNames ClusterOverrideFlags) {
	flagNames.APIServer.BindStringFlag(flags, &clusterInfo.Server)
	flagNames.CertificateAuthority.BindStringFlag(flags, &clusterInfo.CertificateAuthority)
	flagNames.InsecureSkipTLSVerify.BindBoolFlag(flags, &clusterInfo.InsecureSkipTLSVerify)
	flagNames.TLSServerName.BindStringFlag(flags, &clusterInfo.TLSServerName)
	flagNames.ProxyURL.BindStringFlag(flags, &clusterInfo.ProxyURL)
	flagNames.DisableCompression.BindBoolFlag(flags, &clusterInfo.DisableCompression)
}

// BindContextFlags binds flags to contextInfo.
func BindContextFlags(contextInfo *clientcmdapi.Context, flags FlagSet, flagNames ContextOverrideFlags) {
	flagNames.ClusterName.BindStringFlag(flags, &contextInfo.Cluster)
	flagNames.AuthInfoName.BindStringFlag(flags, &contextInfo.AuthInfo)
	flagNames.Namespace.BindTransformingStringFlag(flags, &contextInfo.Namespace, RemoveNamespacesPrefix)
}

// RemoveNamespacesPrefix removes the prefix "ns/", "namespace/" or "namespaces/", ignoring case, so that the output of
// kubectl can be used as a namespace. The error is always nil.
func RemoveNamespacesPrefix(value string) (string, error) {
	for _, prefix := range []string{"namespaces/", "namespace/", "ns/"} {
		if len(value) > len(prefix) && strings.EqualFold(value[:len(prefix)], prefix) {
			return value[len(prefix):], nil
		}
	}
	return value, nil
}
