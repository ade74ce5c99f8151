package latest_test

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"

	"vedette.dev/clientcmd"
	"vedette.dev/clientcmd/api"
	"vedette.dev/clientcmd/api/latest"
	"vedette.dev/clientcmd/api/v1"
)

// random returns a kubeconfig with all fields that a file has.
func random(seed int64) *api.Config {
	config := api.NewConfig()
	randfill.NewWithSeed(seed).NilChance(0.2).NumElements(1, 3).Funcs(
		func(o *runtime.Object, _ randfill.Continue) {
			*o = &runtime.Unknown{Raw: []byte(`{"x":"y"}`), ContentType: runtime.ContentTypeJSON}
		},
		func(e *api.ExecConfig, c randfill.Continue) {
			c.FillNoCustom(e)
			e.Config, e.StdinUnavailable, e.StdinUnavailableMessage, e.PluginPolicy = nil, false, "", api.PluginPolicy{}
		},
		func(s *string, c randfill.Continue) { *s = "s" + string(rune('a'+c.Intn(26))) },
		func(s *api.ExecInteractiveMode, c randfill.Continue) { *s = api.NeverExecInteractiveMode },
	).Fill(config)
	config.Kind, config.APIVersion = "", ""
	clean(config.Clusters, func(c *api.Cluster) *string { return &c.LocationOfOrigin })
	clean(config.AuthInfos, func(u *api.AuthInfo) *string { return &u.LocationOfOrigin })
	clean(config.Contexts, func(c *api.Context) *string { return &c.LocationOfOrigin })
	return config
}

// clean removes what is not in a file.
func clean[T any](entries map[string]*T, location func(*T) *string) {
	for name, entry := range entries {
		if entry == nil {
			delete(entries, name)
		} else {
			*location(entry) = ""
		}
	}
}

// TestLikeClientcmd: what the codec writes is what clientcmd writes, and each reads it as the other does.
func TestLikeClientcmd(t *testing.T) {
	for seed := range int64(50) {
		config := random(seed)
		data, err := runtime.Encode(latest.Codec, config)
		if err != nil {
			t.Fatal(seed, err)
		}
		want, err := clientcmd.Write(*config)
		if err != nil {
			t.Fatal(seed, err)
		}
		a, err := clientcmd.Load(data)
		if err != nil {
			t.Fatal(seed, err)
		}
		b, err := clientcmd.Load(want)
		if err != nil {
			t.Fatal(seed, err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d: written as\n%s\nclientcmd writes\n%s", seed, data, want)
		}
		decoded, err := runtime.Decode(latest.Codec, want)
		if err != nil {
			t.Fatal(seed, err)
		}
		again, err := clientcmd.Write(*decoded.(*api.Config))
		if err != nil || string(again) != string(want) {
			t.Fatalf("seed %d: %v\n%s\nwant\n%s", seed, err, again, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	for version, want := range map[string]api.ExecInteractiveMode{"v1alpha1": "IfAvailable", "v1beta1": "IfAvailable", "v1": ""} {
		obj, err := runtime.Decode(latest.Codec, []byte(`{"apiVersion":"v1","kind":"Config","users":[{"name":"u","user":{"exec":{"command":"c","apiVersion":"client.authentication.k8s.io/`+version+`"}}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := obj.(*api.Config).AuthInfos["u"].Exec.InteractiveMode; got != want {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

func TestBad(t *testing.T) {
	_, err := runtime.Decode(latest.Codec, []byte(`{"apiVersion":"v1","kind":"Config","contexts":[{"name":"a"},{"name":"a"}]}`))
	if err == nil || !strings.Contains(err.Error(), `duplicate name "a"`) {
		t.Error(err)
	}
	if _, err := runtime.Encode(latest.Codec, &api.Config{Clusters: map[string]*api.Cluster{"c": nil}}); err == nil || !strings.Contains(err.Error(), `cluster "c" is nil`) {
		t.Error(err)
	}
}

func TestDeepCopy(t *testing.T) {
	for seed := range int64(20) {
		var config v1.Config
		randfill.NewWithSeed(seed).NilChance(0.2).NumElements(1, 3).Funcs(
			func(o *runtime.Object, _ randfill.Continue) { *o = nil }).Fill(&config)
		if got := config.DeepCopy(); !reflect.DeepEqual(got, &config) {
			t.Fatalf("seed %d: %+v, want %+v", seed, got, config)
		}
	}
	in := &v1.Config{AuthInfos: []v1.NamedAuthInfo{{AuthInfo: v1.AuthInfo{
		ImpersonateUserExtra: map[string][]string{"a": {"b"}}, Exec: &v1.ExecConfig{Args: []string{"x"}}, ClientKeyData: []byte("k")}}}}
	out := in.DeepCopyObject().(*v1.Config)
	user := &out.AuthInfos[0].AuthInfo
	user.ImpersonateUserExtra["a"][0], user.Exec.Args[0], user.ClientKeyData[0] = "c", "y", 'z'
	if old := in.AuthInfos[0].AuthInfo; old.ImpersonateUserExtra["a"][0] != "b" || old.Exec.Args[0] != "x" || string(old.ClientKeyData) != "k" {
		t.Errorf("the copy shares memory: %+v", old)
	}
	if (*v1.Config)(nil).DeepCopy() != nil {
		t.Error("a copy of nil")
	}
}
