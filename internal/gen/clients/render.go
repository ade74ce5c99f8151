package main

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"strings"
	"text/template"
	"unicode"
)

//go:embed *.tmpl
var sources embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"words":      words,
	"lowerFirst": lowerFirst,
}).ParseFS(sources, "*.tmpl"))

// render makes a formatted Go file of a template.
func render(name string, data any) ([]byte, error) {
	var text bytes.Buffer
	if err := templates.ExecuteTemplate(&text, name, data); err != nil {
		return nil, err
	}
	source, err := format.Source(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("the template %s makes bad Go: %w\n%s", name, err, text.Bytes())
	}
	return source, nil
}

// words writes a name as English: "ReplicaSets" is "replica sets", "CSIDrivers" is "CSI drivers".
func words(name string) string {
	var all []string
	for rest := []rune(name); len(rest) > 0; {
		n := wordEnd(rest)
		word := string(rest[:n])
		if acronym := n > 1 && unicode.IsUpper(rest[1]); !acronym {
			word = strings.ToLower(word)
		}
		all, rest = append(all, word), rest[n:]
	}
	return strings.Join(all, " ")
}

// wordEnd is where the first word ends: before a capital that comes after a small letter, or that begins a word after an
// acronym. The plural s of an acronym stays with it.
func wordEnd(name []rune) int {
	for i := 1; i < len(name); i++ {
		if unicode.IsUpper(name[i]) && (unicode.IsLower(name[i-1]) || beginsWord(name[i:])) {
			return i
		}
	}
	return len(name)
}

func beginsWord(name []rune) bool {
	small := 1
	for small < len(name) && unicode.IsLower(name[small]) {
		small++
	}
	return small > 2 || small == 2 && name[1] != 's'
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
