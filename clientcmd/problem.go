package clientcmd

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// plainProblems are prefixes of messages of the YAML parser that consist of constant text. All others may quote the
// document, which contains secrets.
var plainProblems = []string{
	"did not find ", "could not find ", "found ", "mapping values are not allowed", "block sequence entries are not allowed",
	"block mapping ", "control characters are not allowed", "document contains excessive aliasing", "exceeded max depth",
	"invalid UTF-8", "invalid leading UTF-8", "invalid trailing UTF-8", "incomplete UTF-8", "invalid Unicode character",
	"unexpected low surrogate", "unexpected high surrogate", "incomplete UTF-16",
}

// yamlProblem describes what is wrong with a document without quoting it.
func yamlProblem(err error) error {
	problem := strings.TrimPrefix(err.Error(), "yaml: ")
	line := ""
	if rest, ok := strings.CutPrefix(problem, "line "); ok {
		if number, rest, ok := strings.Cut(rest, ": "); ok {
			line, problem = "line "+number+": ", rest
		}
	}
	if strings.HasPrefix(problem, "unknown anchor") {
		return errors.New("not valid YAML: a value that begins with * must be quoted")
	}
	for _, plain := range plainProblems {
		if strings.HasPrefix(problem, plain) {
			return errors.New("not valid YAML: " + line + problem)
		}
	}
	return errors.New("not valid YAML: " + line + "a key or a value has an unsupported type")
}

// jsonProblem describes which field has the wrong type, in terms of YAML.
func jsonProblem(err error) error {
	wrong := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	// For numbers, the text of the number follows.
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
		return "a string (quote it)"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	default:
		return "a mapping"
	}
}
