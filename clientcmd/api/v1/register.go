package v1

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SchemeGroupVersion is the version of a kubeconfig.
var SchemeGroupVersion = schema.GroupVersion{Version: "v1"}

var (
	// SchemeBuilder and AddToScheme add Config to a scheme, with its defaults and the conversions to clientcmd/api.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes, RegisterDefaults, RegisterConversions)
	AddToScheme   = SchemeBuilder.AddToScheme
)

func addKnownTypes(s *runtime.Scheme) error {
	s.AddKnownTypes(SchemeGroupVersion, &Config{})
	return nil
}

// GetObjectKind implements runtime.Object.
func (in *Config) GetObjectKind() schema.ObjectKind { return in }

// SetGroupVersionKind sets APIVersion and Kind.
func (in *Config) SetGroupVersionKind(gvk schema.GroupVersionKind) {
	in.APIVersion, in.Kind = gvk.ToAPIVersionAndKind()
}

// GroupVersionKind returns APIVersion and Kind.
func (in *Config) GroupVersionKind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(in.APIVersion, in.Kind)
}

// RegisterDefaults adds the defaults of Config to a scheme.
func RegisterDefaults(scheme *runtime.Scheme) error {
	scheme.AddTypeDefaultingFunc(&Config{}, func(obj any) { SetObjectDefaults_Config(obj.(*Config)) })
	return nil
}

// SetObjectDefaults_Config sets the defaults of a Config.
func SetObjectDefaults_Config(in *Config) {
	for i := range in.AuthInfos {
		if exec := in.AuthInfos[i].AuthInfo.Exec; exec != nil {
			SetDefaults_ExecConfig(exec)
		}
	}
}

// SetDefaults_ExecConfig sets the interactive mode for versions of the plugin API in which it may be missing.
func SetDefaults_ExecConfig(exec *ExecConfig) {
	switch exec.APIVersion {
	case "client.authentication.k8s.io/v1alpha1", "client.authentication.k8s.io/v1beta1":
		if exec.InteractiveMode == "" {
			exec.InteractiveMode = IfAvailableExecInteractiveMode
		}
	}
}
