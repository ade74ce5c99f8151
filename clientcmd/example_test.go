package clientcmd_test

import (
	"fmt"
	"os"
	"path/filepath"

	"vedette.dev/clientcmd"
	"vedette.dev/clientcmd/api"
)

// A kubeconfig from anywhere: here it is made by hand.
func ExampleRESTConfigFromKubeConfig() {
	kubeconfig := []byte(`
clusters:
- name: prod
  cluster: {server: "https://prod.example:6443"}
users:
- name: robot
  user: {token: s3cret}
contexts:
- name: prod
  context: {cluster: prod, user: robot}
current-context: prod
`)
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(config.Host)
	// Output: https://prod.example:6443
}

// What kubectl does: the files of KUBECONFIG, or the one in the home directory, with flags on top.
func ExampleNewNonInteractiveDeferredLoadingClientConfig() {
	dir, err := os.MkdirTemp("", "kubeconfig")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	mine := api.NewConfig()
	mine.CurrentContext = "prod"
	mine.Clusters["prod"] = &api.Cluster{Server: "https://prod.example:6443"}
	theirs := api.NewConfig()
	theirs.Clusters["prod"] = &api.Cluster{Server: "https://elsewhere.example"} // the first file wins
	theirs.Contexts["prod"] = &api.Context{Cluster: "prod", Namespace: "team"}
	rules := &clientcmd.ClientConfigLoadingRules{}
	for name, config := range map[string]*api.Config{"1-mine": mine, "2-theirs": theirs} {
		if err := clientcmd.WriteToFile(*config, filepath.Join(dir, name)); err != nil {
			fmt.Println(err)
		}
	}
	rules.Precedence = []string{filepath.Join(dir, "1-mine"), filepath.Join(dir, "2-theirs")}

	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{Timeout: "30s"})
	config, err := loader.ClientConfig()
	if err != nil {
		fmt.Println(err)
		return
	}
	namespace, _, err := loader.Namespace()
	fmt.Println(config.Host, config.Timeout, namespace, err)
	// Output: https://prod.example:6443 30s team <nil>
}

// ModifyConfig writes to the file that an entry came from.
func ExampleModifyConfig() {
	dir, err := os.MkdirTemp("", "kubeconfig")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "config")
	access := &clientcmd.ClientConfigLoadingRules{ExplicitPath: file}
	config, err := access.GetStartingConfig() // empty: there is no file yet
	if err != nil {
		fmt.Println(err)
		return
	}
	config.Clusters["dev"] = &api.Cluster{Server: "https://dev.example"}
	if err := clientcmd.ModifyConfig(access, *config, false); err != nil {
		fmt.Println(err)
		return
	}
	text, err := os.ReadFile(file)
	fmt.Print(string(text), err)
	// Output:
	// apiVersion: v1
	// clusters:
	// - cluster:
	//     server: https://dev.example
	//   name: dev
	// contexts: null
	// current-context: ""
	// kind: Config
	// users: null
	// <nil>
}
