package clientcmd

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// TestOverlayKnowsEveryField sets the fields one by one: one that is added and forgotten fails here.
func TestOverlayKnowsEveryField(t *testing.T) {
	checkOverlay(t, overlayContext)
	checkOverlay(t, overlayCluster)
	checkOverlay(t, overlayAuthInfo)
}

func checkOverlay[T any](t *testing.T, overlay func(dst, src *T)) {
	t.Helper()
	for i := range reflect.TypeFor[T]().NumField() {
		src, dst := new(T), new(T)
		set(t, reflect.ValueOf(src).Elem().Field(i), "over")
		overlay(dst, src)
		if !reflect.DeepEqual(dst, src) {
			t.Errorf("%T: %s is not put over an empty one", *dst, reflect.TypeFor[T]().Field(i).Name)
		}
		set(t, reflect.ValueOf(dst).Elem().Field(i), "under")
		overlay(dst, src)
		if !reflect.DeepEqual(dst, src) {
			t.Errorf("%T: %s does not win", *dst, reflect.TypeFor[T]().Field(i).Name)
		}
		overlay(dst, new(T))
		if !reflect.DeepEqual(dst, src) {
			t.Errorf("%T: an empty %s wins", *dst, reflect.TypeFor[T]().Field(i).Name)
		}
	}
}

func set(t *testing.T, v reflect.Value, text string) {
	t.Helper()
	switch v.Interface().(type) {
	case string:
		v.SetString(text)
	case bool:
		v.SetBool(true)
	case []byte:
		v.SetBytes([]byte(text))
	case []string:
		v.Set(reflect.ValueOf([]string{text}))
	case map[string][]string:
		v.Set(reflect.ValueOf(map[string][]string{"key": {text}}))
	case map[string]runtime.Object:
		v.Set(reflect.ValueOf(map[string]runtime.Object{"key": &runtime.Unknown{Raw: []byte(text)}}))
	case *clientcmdapi.ExecConfig:
		v.Set(reflect.ValueOf(&clientcmdapi.ExecConfig{Command: text}))
	case *clientcmdapi.AuthProviderConfig:
		v.Set(reflect.ValueOf(&clientcmdapi.AuthProviderConfig{Name: text}))
	default:
		t.Fatalf("set does not know %v: teach it", v.Type())
	}
}

// TestOverlayDoesNotWriteThrough: overrides are put on a copy, not on the maps of the kubeconfig.
func TestOverlayDoesNotWriteThrough(t *testing.T) {
	config := mustLoad(t, sample)
	before := config.DeepCopy()
	overrides := &ConfigOverrides{
		AuthInfo:    clientcmdapi.AuthInfo{ImpersonateUserExtra: map[string][]string{"more": {"y"}}, Extensions: map[string]runtime.Object{"e": nil}},
		ClusterInfo: clientcmdapi.Cluster{Server: "https://other", Extensions: map[string]runtime.Object{"e": nil}},
		Context:     clientcmdapi.Context{Namespace: "other", Extensions: map[string]runtime.Object{"e": nil}},
	}
	direct := NewNonInteractiveClientConfig(*config, "prod-exec", overrides, nil)
	rest, err := direct.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	rest.ExecProvider.Args[0] = "changed"
	merged, err := direct.MergedRawConfig()
	if err != nil {
		t.Fatal(err)
	}
	merged.AuthInfos["exec"].Exec.Args[0] = "changed"
	merged.Clusters["prod"].Extensions["f"] = nil
	if !reflect.DeepEqual(config, before) {
		t.Errorf("the kubeconfig has changed to\n%+v", config)
	}
}
