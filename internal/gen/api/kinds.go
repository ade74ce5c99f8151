package api

import (
	"fmt"
	"go/ast"
	"go/token"
	"iter"
	"strings"
)

// specs are the declarations of one sort in a file, each with the declaration around it.
func specs[S ast.Spec](f *ast.File, tok token.Token) iter.Seq2[S, *ast.GenDecl] {
	return func(yield func(S, *ast.GenDecl) bool) {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != tok {
				continue
			}
			for _, s := range decl.Specs {
				if !yield(s.(S), decl) {
					return
				}
			}
		}
	}
}

// structsIn are the structs of a package, by name.
func structsIn(files []*ast.File) map[string]*ast.StructType {
	found := map[string]*ast.StructType{}
	for _, f := range files {
		for spec := range specs[*ast.TypeSpec](f, token.TYPE) {
			if s, ok := spec.Type.(*ast.StructType); ok {
				found[spec.Name.Name] = s
			}
		}
	}
	return found
}

// kindsIn are the kinds of a file that have a client.
func kindsIn(f *ast.File, structs map[string]*ast.StructType) ([]Kind, error) {
	var kinds []Kind
	left := map[*ast.CommentGroup]bool{}
	for _, c := range f.Comments {
		left[c] = len(groupMarks(c)) > 0
	}
	for spec, decl := range specs[*ast.TypeSpec](f, token.TYPE) {
		var marks []string
		for _, c := range above(f, decl) {
			marks = append(marks, groupMarks(c)...)
			delete(left, c)
		}
		if len(marks) == 0 {
			continue
		}
		kind, err := newKind(spec.Name.Name, marks, structs)
		if err != nil {
			return nil, err
		}
		kind.Deprecated = strings.Contains("\n\n"+decl.Doc.Text(), "\n\nDeprecated: ")
		kinds = append(kinds, kind)
	}
	for c, marked := range left {
		if marked {
			return nil, fmt.Errorf("%s%s stands above no type", mark, groupMarks(c)[0])
		}
	}
	return kinds, nil
}

// above are the comments between a declaration and the one before it. There may be several: marks often stand in a
// paragraph of their own, with an empty line after it, so that they are not part of the documentation.
func above(f *ast.File, decl *ast.GenDecl) []*ast.CommentGroup {
	start := f.Name.End()
	for _, d := range f.Decls {
		if d.End() < decl.TokPos {
			start = max(start, d.End())
		}
	}
	var found []*ast.CommentGroup
	for _, c := range f.Comments {
		if c.Pos() > start && c.End() < decl.TokPos {
			found = append(found, c)
		}
	}
	return found
}

// groupMarks are the marks in a comment. (Its Text leaves out lines that look like directives.)
func groupMarks(c *ast.CommentGroup) []string {
	var marks []string
	for _, line := range c.List {
		marks = append(marks, marksIn(line.Text)...)
	}
	return marks
}

func newKind(name string, marks []string, structs map[string]*ast.StructType) (Kind, error) {
	object, ok := structs[name]
	if !ok || !embeds(object, "ObjectMeta") {
		return Kind{}, fmt.Errorf("%s: marked, but not a struct with ObjectMeta", name)
	}
	_, hasList := structs[name+"List"]
	k := Kind{Name: name, Namespaced: true, HasList: hasList, Verbs: AllVerbs}
	if !hasField(object, "Status") {
		k.Verbs = k.Verbs.Without("updateStatus", "applyStatus")
	}
	if err := k.apply(marks); err != nil {
		return Kind{}, err
	}
	if !k.HasList && k.Verbs.Has("list") {
		return Kind{}, fmt.Errorf("%s: can be listed, but there is no %sList", name, name)
	}
	return k, nil
}

func embeds(s *ast.StructType, name string) bool {
	for _, f := range s.Fields.List {
		if len(f.Names) > 0 {
			continue
		}
		if sel, ok := f.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == name {
			return true
		}
	}
	return false
}

func hasField(s *ast.StructType, name string) bool {
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				return true
			}
		}
	}
	return false
}
