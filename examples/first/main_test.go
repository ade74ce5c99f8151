package main

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeShowsThisProgram keeps the first program of the README one that compiles and runs.
func TestReadmeShowsThisProgram(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```go\n"+string(program)+"```") {
		t.Error("the first program in README.md is not examples/first/main.go; copy it there")
	}
	if lines := strings.Count(string(program), "\n"); lines > 50 {
		t.Errorf("the first program has %d lines, and should have no more than 50", lines)
	}
}
