package command

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// version describes the build of this program.
type version struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisVersion() version {
	v := version{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Commit = setting.Value
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		}
	}
	return v
}

func newVersion(s *streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program",
		Example: examples(`
			vedette version
			vedette version -o json`),
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if err := oneOf("output", output, "", "json", "yaml"); err != nil {
				return err
			}
			return s.printVersion(output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "json or yaml; a line of text if not given")
	return cmd
}

func (s *streams) printVersion(output string) error {
	v := thisVersion()
	switch output {
	case "json":
		return s.printJSON(v)
	case "yaml":
		data, err := yaml.Marshal(v)
		if err != nil {
			return err
		}
		_, err = s.out.Write(data)
		return err
	}
	_, err := fmt.Fprintf(s.out, "vedette %s (%s, %s)\n", v.Version, v.Go, v.Platform)
	return err
}

func (s *streams) printJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = s.out.Write(append(data, '\n'))
	return err
}
