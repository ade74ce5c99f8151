package migrate

import (
	"go/ast"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// explain returns the text of an error of the compiler, and what to do about it if it is about types of both libraries.
func (m *migration) explain(d diagnostic) string {
	hint, text := d.hint, d.text+d.more
	if hint == "" && strings.Contains(text, "vedette.dev/") {
		if clients := m.generated(d); clients != "" {
			hint = clients + " is generated code for client-go's types, in a library: make it with client-go's configuration, " +
				"bridge.MustToClientGo(config), and leave what it returns with client-go; or generate it again for this program against Vedette, " +
				"see Generated clientsets in docs/migration.md"
		} else if strings.Contains(text, `"k8s.io/client-go/`) {
			hint = "a library is made for client-go's type: give it a client of client-go, made with bridge.ToClientGo(config), or leave this file with client-go"
		}
	}
	if hint == "" {
		return text
	}
	return text + "\n    " + hint
}

// generatedPath matches import paths of clientsets and informers that client-gen and informer-gen write.
var generatedPath = regexp.MustCompile(`/clientset(/|$)|/informers/externalversions(/|$)`)

// generated returns the import path of generated clients of another module that an error is about, or "". The compiler names a package by its
// path, if there is another of the same name, and otherwise by its name: then it is looked for in the imports of the file.
func (m *migration) generated(d diagnostic) (found string) {
	matches := func(imported string) bool {
		return generatedPath.MatchString(imported) && !strings.HasPrefix(imported+"/", m.mod.Path+"/")
	}
	for _, quoted := range regexp.MustCompile(`"[^"]+"\.`).FindAllString(d.text+d.more, -1) {
		if imported := strings.Trim(quoted, `".`); matches(imported) {
			return imported
		}
	}
	if !filepath.IsLocal(d.file) {
		return ""
	}
	s, err := readSource(filepath.Join(m.mod.Dir, d.file))
	if err != nil {
		return ""
	}
	s.imports(func(_ *ast.GenDecl, spec *ast.ImportSpec, imported string) {
		if !matches(imported) {
			return
		}
		names := []string{path.Base(imported)}
		if spec.Name != nil {
			names = append(names, spec.Name.Name)
		}
		for _, name := range names {
			if !version.MatchString(name) && regexp.MustCompile(`(^|[^\w".])`+regexp.QuoteMeta(name)+`\.`).MatchString(d.text+d.more) {
				found = imported
			}
		}
	})
	return found
}

// version matches names of packages that many packages have.
var version = regexp.MustCompile(`^v\d+((alpha|beta)\d+)?$`)
