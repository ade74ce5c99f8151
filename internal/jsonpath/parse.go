package jsonpath

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a JSONPath as kubectl and CustomResourceDefinitions have them: {.spec.nodeName}, with or without braces. It knows fields,
// also with escaped dots or as ['name'], items by [0], [-1] and [*], and filters such as [?(@.type=="Ready")]. A dot alone is all of
// the object.
func Parse(text string) (Path, error) {
	rest := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(rest, "{"); ok {
		if rest, ok = strings.CutSuffix(inner, "}"); !ok {
			return nil, fmt.Errorf("JSONPath %q has no closing brace", text)
		}
	}
	rest = strings.TrimPrefix(rest, "$")
	if rest == "." {
		return Path{}, nil
	}
	path, err := parseSteps(rest)
	if err == nil && len(path) == 0 {
		err = fmt.Errorf("it leads nowhere; write it as {.spec.nodeName}")
	}
	if err != nil {
		return nil, fmt.Errorf("JSONPath %q: %w", text, err)
	}
	return path, nil
}

func parseSteps(rest string) (Path, error) {
	var path Path
	for rest != "" {
		var s step
		var err error
		switch rest[0] {
		case '.':
			s, rest, err = fieldStep(rest[1:])
		case '[':
			s, rest, err = bracketStep(rest)
		default:
			return nil, fmt.Errorf("%q must begin with a dot or a bracket", rest)
		}
		if err != nil {
			return nil, err
		}
		path = append(path, s)
	}
	return path, nil
}

// fieldStep reads a name up to the next dot or bracket. A backslash takes the meaning from either.
func fieldStep(rest string) (s step, after string, err error) {
	var name strings.Builder
	i := 0
	for ; i < len(rest) && rest[i] != '.' && rest[i] != '['; i++ {
		if rest[i] == '\\' && i+1 < len(rest) {
			i++
		}
		name.WriteByte(rest[i])
	}
	switch name.String() {
	case "":
		return step{}, "", fmt.Errorf("there is no name after the dot")
	case "*":
		return step{kind: stepEvery}, rest[i:], nil
	}
	return step{kind: stepField, field: name.String()}, rest[i:], nil
}

func bracketStep(rest string) (s step, after string, err error) {
	end := closing(rest)
	if end < 0 {
		return step{}, "", fmt.Errorf("%q has no closing bracket", rest)
	}
	inner, after := strings.TrimSpace(rest[1:end]), rest[end+1:]
	quoted := len(inner) > 1 && (inner[0] == '\'' || inner[0] == '"') && inner[len(inner)-1] == inner[0]
	switch {
	case inner == "*":
		return step{kind: stepEvery}, after, nil
	case quoted:
		return step{kind: stepField, field: inner[1 : len(inner)-1]}, after, nil
	case strings.HasPrefix(inner, "?(") && strings.HasSuffix(inner, ")"):
		f, err := parseFilter(inner[2 : len(inner)-1])
		return step{kind: stepFilter, filter: f}, after, err
	}
	n, err := strconv.Atoi(inner)
	if err != nil {
		return step{}, "", fmt.Errorf("[%s] is neither a number, nor *, nor a name in quotes, nor a filter", inner)
	}
	return step{kind: stepIndex, index: n}, after, nil
}

// closing is where the bracket ends with which text begins. Those in quotes do not count.
func closing(text string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func parseFilter(text string) (*filter, error) {
	// What comes first compares: the other may be in the text that is compared with.
	left, right, equal := strings.Cut(text, "==")
	if before, after, ok := strings.Cut(text, "!="); ok && (!equal || len(before) < len(left)) {
		left, right, equal = before, after, false
	} else if !equal {
		return nil, fmt.Errorf("filter %q must compare with == or !=", text)
	}
	at, ok := strings.CutPrefix(strings.TrimSpace(left), "@")
	if !ok {
		return nil, fmt.Errorf("filter %q must begin with @", text)
	}
	path, err := parseSteps(at)
	if err != nil {
		return nil, err
	}
	return &filter{path: path, equal: equal, want: strings.Trim(strings.TrimSpace(right), `"'`)}, nil
}
