package source

import (
	"bytes"
	"fmt"
	"go/format"
	"io/fs"
	"text/template"
)

// Templates are those of one generator.
type Templates struct {
	set *template.Template
}

// Parse reads all templates in a file system. They can use words and lowerFirst.
func Parse(files fs.FS) Templates {
	return Templates{template.Must(template.New("").Funcs(template.FuncMap{
		"words":      words,
		"lowerFirst": LowerFirst,
	}).ParseFS(files, "*.tmpl"))}
}

// Render makes a formatted Go file of a template.
func (t Templates) Render(name string, data any) ([]byte, error) {
	var text bytes.Buffer
	if err := t.set.ExecuteTemplate(&text, name, data); err != nil {
		return nil, err
	}
	source, err := format.Source(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the template %s makes bad Go: %w\n%s", name, err, text.Bytes())
	}
	return source, nil
}
