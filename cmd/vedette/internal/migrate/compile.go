package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// diagnostic is an error of the compiler.
type diagnostic struct {
	file         string // relative to the module
	line, column int
	text         string
	more         string // lines that follow
	hint         string // what to do, if it is not for the text to say
}

var located = regexp.MustCompile(`^(\S+\.go):(\d+):(\d+): (.*)$`)

// compiled is what the compiler says about the program.
type compiled struct {
	errors []diagnostic
	// skipped are the packages that were not compiled, because they import one with errors.
	skipped []string
}

// compile compiles the packages and their tests, and returns all errors: go list goes on after a package that does not compile, and links
// nothing.
func (m *migration) compile(ctx context.Context) (result compiled, err error) {
	m.progress("compiling the program and its tests")
	args := []string{"list", "-e", "-test", "-export", "-gcflags=-e", "-json=ImportPath,Dir,ForTest,Error,DepsErrors"}
	out, err := m.mod.Run(ctx, append(args, m.patterns()...)...)
	if err != nil {
		return result, errors.Join(err, ctx.Err())
	}
	var elsewhere []string // errors without a line, of other packages
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return result, fmt.Errorf("go list: %w", err)
		}
		name, _, variant := strings.Cut(p.ImportPath, " ")
		if strings.HasSuffix(name, ".test") && !variant {
			continue // the main package of a test; it has the errors of what it imports
		}
		if p.Error != nil {
			found := m.diagnostics(p.Error.String())
			if len(found) == 0 && !strings.Contains(p.Error.Err, "build constraints exclude all Go files") {
				found = []diagnostic{{file: m.relative(p.Dir), text: strings.TrimSpace(p.Error.String())}}
			}
			result.add(found)
		}
		for _, e := range p.DepsErrors {
			found := m.diagnostics(e.String())
			result.add(found)
			if len(found) == 0 {
				elsewhere = append(elsewhere, e.String())
			}
		}
		own := p.ForTest == "" || p.ForTest == name || p.ForTest+"_test" == name // and not compiled again for the test of another package
		if own && p.Error == nil && len(p.DepsErrors) > 0 && !slices.Contains(result.skipped, name) {
			result.skipped = append(result.skipped, name)
		}
	}
	if len(result.errors) == 0 && len(elsewhere) > 0 { // not about the program
		return result, errors.New(strings.TrimSpace(elsewhere[0]))
	}
	return result, nil
}

// listed is what go list prints about a package.
type listed struct {
	ImportPath, Dir, ForTest string
	Error                    *listError
	DepsErrors               []*listError
}

// listError is an error of a package: one of the go command, or all that the compiler has printed.
type listError struct{ Pos, Err string }

func (e *listError) String() string {
	if e.Pos == "" {
		return e.Err
	}
	return e.Pos + ": " + e.Err
}

// add adds errors: packages, their tests and those that import them have the same.
func (c *compiled) add(found []diagnostic) {
	for _, d := range found {
		if !slices.Contains(c.errors, d) {
			c.errors = append(c.errors, d)
		}
	}
}

// build runs go build ./..., whatever packages were named, and returns the errors of the compiler. other is an error that is not about a line.
func (m *migration) build(ctx context.Context) (found []diagnostic, other error) {
	m.progress("go build ./...")
	_, err := m.mod.Run(ctx, "build", "-o", os.DevNull, "./...")
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		return nil, nil
	}
	if found = m.diagnostics(err.Error()); len(found) == 0 {
		return nil, err
	}
	return found, nil
}

// buildAll adds the errors of go build ./... to those that are known. Packages that were not named may have had errors before.
func (m *migration) buildAll(ctx context.Context, known *compiled) error {
	found, err := m.build(ctx)
	switch {
	case err == nil:
	case ctx.Err() == nil && (len(known.errors) > 0 || m.brokenBefore):
		return nil
	default:
		return err // not about the program
	}
	for _, d := range found {
		if slices.Contains(known.errors, d) || slices.Contains(m.errorsBefore, d) {
			continue
		}
		if len(m.config.Packages) > 0 {
			d.hint = "this package was not named, and so not migrated: name it too, or let what it uses stay with client-go"
		}
		known.errors = append(known.errors, d)
	}
	return nil
}

// diagnostics finds the errors of the compiler in what the go command printed.
func (m *migration) diagnostics(printed string) (out []diagnostic) {
	for line := range strings.Lines(printed) {
		found := located.FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			if strings.HasPrefix(line, "\t") && len(out) > 0 { // have …, want …
				out[len(out)-1].more += "\n    " + strings.TrimSpace(line)
			}
			continue
		}
		d := diagnostic{file: found[1], text: found[4]}
		d.line, _ = strconv.Atoi(found[2])
		d.column, _ = strconv.Atoi(found[3])
		if filepath.IsAbs(d.file) {
			d.file = m.relative(d.file)
		}
		d.file = filepath.Clean(d.file)
		out = append(out, d)
	}
	return out
}
