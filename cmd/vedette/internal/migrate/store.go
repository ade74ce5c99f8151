package migrate

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// storeMethods are methods that stores of older versions of client-go do not have, as a program may write them that has a store of its own.
// Reflectors do not call them.
var storeMethods = map[string]string{
	"Bookmark":                     "(string) {}",
	"LastStoreSyncResourceVersion": "() string { return \"\" }",
}

// incomplete is the text of an error about a type that lacks a method of a store: the star of a pointer, the path of its package or the name, the
// name of the type, and the method.
var incomplete = regexp.MustCompile(
	`(?:^|\s)(\*?)(?:"([^"]+)"\.|(\w+)\.)?(\w+) does not implement (?:"vedette\.dev/cache"|cache)\.(?:Store|Indexer) \(missing method (\w+)\)`)

// lacking is a method that a type of the program lacks.
type lacking struct{ star, path, pkg, name, method string }

// completeStores adds methods to types of the program that were stores with an older version of client-go, and returns how many.
func (m *migration) completeStores(all []diagnostic) (added int, err error) {
	var done []string // types and methods: many lines may use one store
	for _, d := range all {
		found := incomplete.FindStringSubmatch(d.text + d.more)
		if found == nil || storeMethods[found[5]] == "" || !filepath.IsLocal(d.file) {
			continue
		}
		l := lacking{found[1], found[2], found[3], found[4], found[5]}
		s, at, err := m.declaring(l, d.file)
		if err != nil {
			return added, err
		}
		if s == nil || slices.Contains(done, s.name+" "+l.name) {
			continue
		}
		done = append(done, s.name+" "+l.name)
		s.insert(s.file.FileEnd, "\n// "+l.method+" is a method of cache.Store that older versions of client-go do not have.\nfunc ("+l.star+l.name+") "+
			l.method+storeMethods[l.method]+"\n")
		if err := m.write(s); err != nil {
			return added, err
		}
		m.report.Methods = append(m.report.Methods, Place{m.relative(s.name), s.line(at.Pos())})
		added++
	}
	return added, nil
}

// declaring returns the file of the module that declares a type, and nil if there is none or more than one package may be meant.
func (m *migration) declaring(l lacking, usedIn string) (found *source, at *ast.TypeSpec, err error) {
	own := l.path == "" && l.pkg == ""
	for _, name := range m.rewritten {
		dir := filepath.ToSlash(m.relative(filepath.Dir(name)))
		if own && dir != filepath.ToSlash(filepath.Dir(usedIn)) {
			continue
		}
		if l.path != "" && l.path != strings.TrimSuffix(m.mod.Path+"/"+dir, "/.") {
			continue
		}
		s, err := readSource(name)
		if err != nil {
			return nil, nil, err
		}
		if l.pkg != "" && s.file.Name.Name != l.pkg {
			continue
		}
		for _, d := range s.file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range decl.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == l.name && t.TypeParams == nil && !t.Assign.IsValid() {
					if found != nil {
						return nil, nil, nil
					}
					found, at = s, t
				}
			}
		}
	}
	return found, at, nil
}
