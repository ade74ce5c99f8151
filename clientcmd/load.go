package clientcmd

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	clientcmdapi "vedette.dev/clientcmd/api"
)

// maxFileSize limits the size of a kubeconfig. YAML takes many times its size in memory.
const maxFileSize = 64 << 20

// Load decodes a kubeconfig from YAML or JSON. Unknown fields are ignored; duplicate names are an error. Empty data is
// an empty config. Errors name the entry and the field, and never contain a value.
func Load(data []byte) (*clientcmdapi.Config, error) {
	if len(data) > maxFileSize {
		return nil, fmt.Errorf("kubeconfig of %d bytes is too large: the limit is %d", len(data), maxFileSize)
	}
	if len(data) == 0 {
		return clientcmdapi.NewConfig(), nil
	}
	data, err := toJSON(data)
	if err != nil {
		return nil, err
	}
	return decode(data)
}

// toJSON converts YAML, or JSON that is not valid YAML, to canonical JSON.
func toJSON(data []byte) ([]byte, error) {
	converted, problem := yaml.YAMLToJSON(data)
	if problem == nil {
		return converted, nil
	}
	// YAML does not have surrogate pairs, and JSON would replace invalid UTF-8 silently.
	var value any
	if !utf8.Valid(data) || json.Unmarshal(data, &value) != nil {
		return nil, yamlProblem(problem)
	}
	return stdjson.Marshal(value)
}

// LoadFromFile reads a kubeconfig from a file, which becomes the LocationOfOrigin of its entries. Relative paths in it
// are not changed; [ResolveLocalPaths] does that.
func LoadFromFile(filename string) (*clientcmdapi.Config, error) {
	// File system errors contain the file name already, and os.IsNotExist must recognise them.
	data, err := readFile(filename)
	if err != nil {
		return nil, err
	}
	config, err := Load(data)
	if err != nil {
		return nil, fmt.Errorf("error loading config file %q: %w", filename, err)
	}
	for _, cluster := range config.Clusters {
		cluster.LocationOfOrigin = filename
	}
	for _, user := range config.AuthInfos {
		user.LocationOfOrigin = filename
	}
	for _, context := range config.Contexts {
		context.LocationOfOrigin = filename
	}
	return config, nil
}

// readFile is os.ReadFile with a limit: the file may be a device or a pipe that never ends.
func readFile(filename string) ([]byte, error) {
	f, err := os.Open(filename)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var data bytes.Buffer
	if n, err := data.ReadFrom(io.LimitReader(f, maxFileSize+1)); err != nil {
		return nil, err
	} else if n > maxFileSize {
		return nil, fmt.Errorf("%s is too large for a kubeconfig: the limit is %d bytes", filename, maxFileSize)
	}
	return data.Bytes(), nil
}
