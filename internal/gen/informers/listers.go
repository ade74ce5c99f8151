package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"vedette.dev/internal/gen/api"
	"vedette.dev/internal/gen/source"
)

// listersFile is the generated file in a package of listers.
const listersFile = "listers.go"

// versionFile is what the templates of one version of a group need.
type versionFile struct {
	api.Group
	Kinds []kind
	// Empty are the expansion interfaces that are not written by hand.
	Empty []string
}

// kind is a kind with what the templates would find hard to compute.
type kind struct {
	api.Kind
	Object string // "corev1.Pod"
}

// Singular is the name of the resource in the errors of listers: "pod".
func (k kind) Singular() string { return strings.ToLower(k.Name) }

// HasDeprecated reports whether any kind is one that linters would warn of.
func (f versionFile) HasDeprecated() bool {
	for _, k := range f.Kinds {
		if k.Deprecated {
			return true
		}
	}
	return false
}

func newVersionFile(g api.Group) versionFile {
	f := versionFile{Group: g}
	for _, k := range g.Kinds {
		f.Kinds = append(f.Kinds, kind{k, g.Alias() + "." + k.Name})
	}
	return f
}

func generateListers(groups []api.Group, out string) (source.Files, error) {
	files := source.Files{}
	for _, g := range groups {
		name := g.Dir + "/" + g.Version + "/" + listersFile
		written, err := source.ReadHandWritten(filepath.Join(out, filepath.Dir(name)), listersFile)
		if err != nil {
			return nil, err
		}
		f := newVersionFile(g)
		f.Empty = emptyExpansions(f.Kinds, written)
		if files[name], err = templates.Render("listers.go.tmpl", f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return files, nil
}

func emptyExpansions(kinds []kind, written source.HandWritten) []string {
	var empty []string
	for _, k := range kinds {
		names := []string{k.Name + "ListerExpansion"}
		if k.Namespaced {
			names = append(names, k.Name+"NamespaceListerExpansion")
		}
		for _, name := range names {
			if !written.Types[name] {
				empty = append(empty, name)
			}
		}
	}
	return empty
}
