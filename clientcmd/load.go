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

// maxFileSize bounds what is read. YAML takes many times its size in memory, and the largest fleets stay far below.
const maxFileSize = 64 << 20

// Load reads a kubeconfig from YAML or JSON. Fields it does not know are skipped; names that occur twice are an error.
// No data at all is an empty config. Errors name the entry and the field, and never show a value.
func Load(data []byte) (*clientcmdapi.Config, error) {
	if len(data) > maxFileSize {
		return nil, fmt.Errorf("a kubeconfig of %d bytes is too large: the limit is %d", len(data), maxFileSize)
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

// toJSON converts YAML, or JSON that is not quite YAML, to JSON in one form: compact and sorted.
func toJSON(data []byte) ([]byte, error) {
	converted, problem := yaml.YAMLToJSON(data)
	if problem == nil {
		return converted, nil
	}
	// YAML knows no surrogate pairs. And JSON would not mind what is not UTF-8, but replace it.
	var value any
	if !utf8.Valid(data) || json.Unmarshal(data, &value) != nil {
		return nil, yamlProblem(problem)
	}
	return stdjson.Marshal(value)
}

// LoadFromFile reads a kubeconfig from a file, which becomes the LocationOfOrigin of its entries. Relative paths in it
// stay as they are; ResolveLocalPaths changes them.
func LoadFromFile(filename string) (*clientcmdapi.Config, error) {
	// Errors of the file system name the file themselves, and os.IsNotExist must know them.
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
