package clientcmd

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// plainProblems begin the messages of the YAML parser that are made of fixed words. All others may quote the document,
// and a document is full of secrets.
var plainProblems = []string{
	"did not find ", "could not find ", "found ", "mapping values are not allowed", "block sequence entries are not allowed",
	"block mapping ", "control characters are not allowed", "document contains excessive aliasing", "exceeded max depth",
	"invalid UTF-8", "invalid leading UTF-8", "invalid trailing UTF-8", "incomplete UTF-8", "invalid Unicode character",
	"unexpected low surrogate", "unexpected high surrogate", "incomplete UTF-16",
}

// yamlProblem says what is wrong with a document without a word of the document.
func yamlProblem(err error) error {
	problem := strings.TrimPrefix(err.Error(), "yaml: ")
	line := ""
	if rest, ok := strings.CutPrefix(problem, "line "); ok {
		if number, rest, ok := strings.Cut(rest, ": "); ok {
			line, problem = "line "+number+": ", rest
		}
	}
	if strings.HasPrefix(problem, "unknown anchor") {
		return errors.New("not valid YAML: a value that begins with * must stand in quotes")
	}
	for _, plain := range plainProblems {
		if strings.HasPrefix(problem, plain) {
			return errors.New("not valid YAML: " + line + problem)
		}
	}
	return errors.New("not valid YAML: " + line + "a key or a value is of a kind that has no place in a kubeconfig")
}

// jsonProblem says which field has the wrong type, in the words of YAML.
func jsonProblem(err error) error {
	wrong := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	// The text of a number follows the word.
	found, _, _ := strings.Cut(wrong.Value, " ")
	message := "want " + kindName(wrong.Type) + ", found " + found
	if wrong.Field != "" {
		message = wrong.Field + ": " + message
	}
	return errors.New(message)
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string (put it in quotes)"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	default:
		return "a mapping"
	}
}
