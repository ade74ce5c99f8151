package main

import (
	"embed"
	"flag"
	"fmt"
	"os"

	"vedette.dev/internal/gen/api"
	"vedette.dev/internal/gen/source"
)

//go:embed *.tmpl
var sources embed.FS

var templates = source.Parse(sources)

// A target is a package with the packages below it.
type target struct {
	generate func(groups []api.Group, out string) (source.Files, error)
	// generated match the files that may be left over from an older version of k8s.io/api.
	generated []string
}

var targets = map[string]target{
	"listers":   {generateListers, []string{"*/*/" + listersFile}},
	"informers": {generateInformers, []string{"*/*/" + informersFile, "*/" + groupFile}},
}

func main() {
	out := flag.String("out", ".", "the folder of the package")
	flag.Parse()
	if err := run(flag.Arg(0), *out); err != nil {
		fmt.Fprintln(os.Stderr, "informers:", err)
		os.Exit(1)
	}
}

func run(name, out string) error {
	t, ok := targets[name]
	if !ok {
		return fmt.Errorf("the argument is %q, and must be listers or informers", name)
	}
	files, err := t.files(out)
	if err != nil {
		return err
	}
	return files.Write(out, t.generated...)
}

func (t target) files(out string) (source.Files, error) {
	dir, err := api.Dir()
	if err != nil {
		return nil, err
	}
	groups, err := api.Read(dir)
	if err != nil {
		return nil, err
	}
	return t.generate(informed(groups), out)
}

// informed are the groups that have informers, with the kinds that do.
func informed(groups []api.Group) []api.Group {
	var out []api.Group
	for _, g := range groups {
		var kinds []api.Kind
		for _, k := range g.Kinds {
			if k.Verbs.Has("list", "watch") {
				kinds = append(kinds, k)
			}
		}
		if g.Kinds = kinds; len(kinds) > 0 {
			out = append(out, g)
		}
	}
	return out
}
