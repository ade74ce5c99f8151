package command

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program returns how to call this program again, for hints that can be copied.
func (s *streams) program() string { return cmp.Or(s.name, "vedette") }

// programName returns how to call a program again that was called by a name, and is the file self: by its name alone if
// it is in PATH, by go run if that has built it, and otherwise as it was called.
func programName(called, self string, lookPath func(string) (string, error)) string {
	const name, path = "vedette", "vedette.dev/cmd/vedette"
	if found, err := lookPath(name); err == nil && sameFile(found, self) {
		return name
	}
	if strings.Contains(filepath.ToSlash(self), "/go-build") {
		return "go run " + path
	}
	if strings.ContainsRune(called, filepath.Separator) {
		return shellQuote(called)
	}
	return name
}

// thisProgram is programName of this process.
func thisProgram() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	return programName(os.Args[0], self, exec.LookPath)
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
