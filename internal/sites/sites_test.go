package sites

import (
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
)

// What is missing in a config is named.
func TestConfig(t *testing.T) {
	client := kubernetes.NewForConfigOrDie(apitest.New(t, apitest.Config{InMemory: true}).RESTConfig())
	factory, err := informers.New(informers.Config{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	for field, corrupt := range map[string]func(*Config){
		"Resource": func(c *Config) { c.Resource = gentype.Resource{} },
		"API":      func(c *Config) { c.API = nil },
		"Client":   func(c *Config) { c.Client = nil },
		"Factory":  func(c *Config) { c.Factory = nil },
	} {
		config := Config{Resource: Resource(Group), API: &gentype.Custom[Site]{}, Client: client, Factory: factory}
		corrupt(&config)
		if _, err := New(config); err == nil || !strings.Contains(err.Error(), "sites: Config."+field+" is ") {
			t.Errorf("without %s: %v", field, err)
		}
	}
}

// The definition can be applied as it is, and brought to a server in another group; twice does no harm.
func TestInstall(t *testing.T) {
	text, err := os.ReadFile("crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &crd.Object); err != nil {
		t.Fatal(err)
	}
	if group, _, _ := unstructured.NestedString(crd.Object, "spec", "group"); group != Group || crd.GetName() != DefinitionName(Resource(Group)) {
		t.Errorf("crd.yaml is of %s, in the group %s", crd.GetName(), group)
	}
	server := apitest.New(t, apitest.Config{})
	client, err := dynamic.NewForConfig(server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []string{Group, "mine." + Group, Group} {
		if err := Install(t.Context(), client, Resource(group)); err != nil {
			t.Errorf("%s: %v", group, err)
		}
	}
	if list, err := client.Resource(Definitions).List(t.Context(), metav1.ListOptions{}); err != nil || len(list.Items) != 2 {
		t.Errorf("there are %d definitions, %v", len(list.Items), err)
	}
}

func TestOf(t *testing.T) {
	site := &Site{ObjectMeta: metav1.ObjectMeta{Name: "home", UID: "1"}}
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{site.OwnerReference(Resource("any"))}}}
	other := page.DeepCopy()
	other.OwnerReferences[0].Kind = "Shop"
	if Of(page) != "1" || Of(other) != "" || Of(&corev1.ConfigMap{}) != "" {
		t.Errorf("%q, %q", Of(page), Of(other))
	}
}
