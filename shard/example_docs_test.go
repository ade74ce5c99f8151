package shard_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The code in docs/sharding.md is that of the examples, so that it compiles and runs.
func TestTheDocumentQuotesExamples(t *testing.T) {
	text, err := os.ReadFile("../docs/sharding.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("example_*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var examples strings.Builder
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		examples.Write(content)
	}
	snippets := regexp.MustCompile("(?s)\n```go\n(.*?)```\n").FindAllStringSubmatch(string(text), -1)
	if len(snippets) < 5 {
		t.Errorf("the document has %d pieces of code", len(snippets))
	}
	for _, snippet := range snippets {
		if !strings.Contains(examples.String(), "\n"+snippet[1]) {
			t.Errorf("no example has this:\n%s", snippet[1])
		}
	}
	for _, link := range regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`).FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join("../docs", link[1])); err != nil {
			t.Errorf("a link leads nowhere: %v", err)
		}
	}
}
