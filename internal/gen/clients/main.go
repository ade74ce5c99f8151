package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"vedette.dev/internal/gen/api"
	"vedette.dev/internal/gen/source"
)

func main() {
	out := flag.String("out", ".", "the folder of package kubernetes")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

// generated matches the files that may be left over from an older version of k8s.io/api.
var generated = []string{"typed/*/*/client.go", "typed/*/*/fake/fake.go"}

func run(out string) error {
	files, err := generate(out)
	if err != nil {
		return err
	}
	return files.Write(out, generated...)
}

// generate makes all files, by their names in out. It reads the hand-written ones there.
func generate(out string) (source.Files, error) {
	dir, err := api.Dir()
	if err != nil {
		return nil, err
	}
	groups, err := api.Read(dir)
	if err != nil {
		return nil, err
	}
	files := source.Files{}
	for _, g := range groups {
		name := "typed/" + g.Dir + "/" + g.Version + "/client.go"
		written, err := source.ReadHandWritten(filepath.Join(out, filepath.Dir(name)), filepath.Base(name))
		if err != nil {
			return nil, err
		}
		if files[name], err = templates.Render("client.go.tmpl", newClientFile(g, written)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		name = "typed/" + g.Dir + "/" + g.Version + "/fake/fake.go"
		if files[name], err = templates.Render("groupfake.go.tmpl", g); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if files["groups.go"], err = templates.Render("groups.go.tmpl", groups); err != nil {
		return nil, err
	}
	if files["fake/groups.go"], err = templates.Render("fake.go.tmpl", groups); err != nil {
		return nil, err
	}
	if files["scheme/register.go"], err = templates.Render("register.go.tmpl", groups); err != nil {
		return nil, err
	}
	return files, nil
}
