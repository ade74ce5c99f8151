package main

import (
	"fmt"
	"strings"

	"vedette.dev/internal/gen/api"
	"vedette.dev/internal/gen/source"
)

const (
	// informersFile is the generated file for a version of a group, groupFile that for a group, factoryFile that for all.
	informersFile = "informers.go"
	groupFile     = "interface.go"
	factoryFile   = "groups.go"
)

// group is all versions of a group.
type group struct {
	Dir      string // "rbac"
	Name     string // "rbac.authorization.k8s.io"; "core" for the group that has none
	GoName   string // "Rbac"
	Versions []versionFile
}

// GoVersion is a version's part of names in Go: "V1beta1".
func (f versionFile) GoVersion() string { return strings.ToUpper(f.Version[:1]) + f.Version[1:] }

func generateInformers(groups []api.Group, _ string) (source.Files, error) {
	files := source.Files{}
	all := byGroup(groups)
	render := func(name, template string, data any) (err error) {
		if files[name], err = templates.Render(template, data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	for _, g := range all {
		for _, v := range g.Versions {
			if err := render(v.Dir+"/"+v.Version+"/"+informersFile, "informers.go.tmpl", v); err != nil {
				return nil, err
			}
		}
		if err := render(g.Dir+"/"+groupFile, "interface.go.tmpl", g); err != nil {
			return nil, err
		}
	}
	if err := render(factoryFile, "groups.go.tmpl", all); err != nil {
		return nil, err
	}
	return files, nil
}

// byGroup puts the versions of a group together, which follow each other.
func byGroup(versions []api.Group) []group {
	var groups []group
	for _, g := range versions {
		v := newVersionFile(g)
		if len(groups) == 0 || groups[len(groups)-1].Dir != g.Dir {
			name := g.Name
			if name == "" {
				name = g.Dir
			}
			groups = append(groups, group{Dir: g.Dir, Name: name, GoName: strings.TrimSuffix(g.GoName(), v.GoVersion())})
		}
		last := &groups[len(groups)-1]
		last.Versions = append(last.Versions, v)
	}
	return groups
}
