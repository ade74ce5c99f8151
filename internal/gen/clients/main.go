package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"vedette.dev/internal/gen/api"
)

func main() {
	out := flag.String("out", ".", "the folder of package kubernetes")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

// run writes the files, and removes what an older version of k8s.io/api had and this one has not.
func run(out string) error {
	files, err := generate(out)
	if err != nil {
		return err
	}
	if err := removeStale(out, files); err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// removeStale removes generated clients that would not be written again. Hand-written files beside them stay: whoever
// raised the version decides about those.
func removeStale(out string, files map[string][]byte) error {
	names, err := generatedClients(out)
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, ok := files[name]; ok {
			continue
		}
		if err := os.Remove(filepath.Join(out, name)); err != nil {
			return err
		}
	}
	return nil
}

// generatedClients are the generated files under typed, by their names in out.
func generatedClients(out string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(out, "typed", "*", "*", "client.go"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, path := range paths {
		name, err := filepath.Rel(out, path)
		if err != nil {
			return nil, err
		}
		names = append(names, filepath.ToSlash(name))
	}
	return names, nil
}

// generate makes all files, by their names in out. It reads the hand-written ones there.
func generate(out string) (map[string][]byte, error) {
	dir, err := api.Dir()
	if err != nil {
		return nil, err
	}
	groups, err := api.Read(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, g := range groups {
		name := "typed/" + g.Dir + "/" + g.Version + "/client.go"
		written, err := readHandWritten(filepath.Join(out, filepath.Dir(name)))
		if err != nil {
			return nil, err
		}
		if files[name], err = render("client.go.tmpl", newClientFile(g, written)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if files["groups.go"], err = render("groups.go.tmpl", groups); err != nil {
		return nil, err
	}
	if files["scheme/register.go"], err = render("register.go.tmpl", groups); err != nil {
		return nil, err
	}
	return files, nil
}
