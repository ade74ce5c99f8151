package kinds

import (
	"fmt"
	"strconv"
	"strings"
)

// findPath finds what a JSONPath such as ".spec.replicas" leads to. It knows what definitions use: fields, also with
// escaped dots or in brackets, indices, slices by [*], and filters that compare a field with a string or a number.
func findPath(in any, path string) ([]any, error) {
	steps, err := parsePath(path)
	if err != nil {
		return nil, err
	}
	values := []any{in}
	for _, step := range steps {
		var next []any
		for _, v := range values {
			next = append(next, step(v)...)
		}
		values = next
	}
	return values, nil
}

// pathStep leads from a value to some below it.
type pathStep func(any) []any

func parsePath(path string) ([]pathStep, error) {
	rest := strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(path, "{"), "}"), "$")
	var steps []pathStep
	for rest != "" {
		switch rest[0] {
		case '.':
			name, after := cutField(rest[1:])
			rest = after
			if name == "*" {
				steps = append(steps, everyValue)
			} else if name != "" {
				steps = append(steps, fieldNamed(name))
			}
		case '[':
			inner, after, ok := cutBracket(rest)
			if !ok {
				return nil, fmt.Errorf("unterminated array in %q", path)
			}
			rest = after
			step, err := bracketStep(inner)
			if err != nil {
				return nil, err
			}
			steps = append(steps, step)
		default:
			return nil, fmt.Errorf("%q does not begin with a dot or a bracket", rest)
		}
	}
	return steps, nil
}

// cutField reads up to the next dot or bracket. A backslash takes the meaning from either.
func cutField(rest string) (name, after string) {
	var b strings.Builder
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\' && i+1 < len(rest):
			i++
			b.WriteByte(rest[i])
		case c == '.' || c == '[':
			return b.String(), rest[i:]
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// cutBracket reads what is between brackets. Those in quotes or nested do not count.
func cutBracket(rest string) (inner, after string, ok bool) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
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
				return rest[1:i], rest[i+1:], true
			}
		}
	}
	return "", "", false
}

func bracketStep(inner string) (pathStep, error) {
	inner = strings.TrimSpace(inner)
	switch {
	case inner == "*":
		return everyValue, nil
	case strings.HasPrefix(inner, "?(") && strings.HasSuffix(inner, ")"):
		return filterStep(inner[2 : len(inner)-1])
	case len(inner) > 1 && (inner[0] == '\'' || inner[0] == '"') && inner[len(inner)-1] == inner[0]:
		return fieldNamed(inner[1 : len(inner)-1]), nil
	}
	n, err := strconv.Atoi(inner)
	if err != nil {
		return nil, fmt.Errorf("[%s] is not understood", inner)
	}
	return func(v any) []any {
		list, _ := v.([]any)
		i := n
		if i < 0 {
			i += len(list)
		}
		if i < 0 || i >= len(list) {
			return nil
		}
		return []any{list[i]}
	}, nil
}

func fieldNamed(name string) pathStep {
	return func(v any) []any {
		fields, _ := v.(map[string]any)
		if value, ok := fields[name]; ok && value != nil {
			return []any{value}
		}
		return nil
	}
}

func everyValue(v any) []any {
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		var values []any
		for _, value := range v {
			values = append(values, value)
		}
		return values
	}
	return nil
}

// filterStep understands @.field == "value" and !=.
func filterStep(expression string) (pathStep, error) {
	for _, operator := range []string{"==", "!="} {
		left, right, found := strings.Cut(expression, operator)
		if !found {
			continue
		}
		path := strings.TrimPrefix(strings.TrimSpace(left), "@")
		want := strings.Trim(strings.TrimSpace(right), `"'`)
		if _, err := parsePath(path); err != nil {
			return nil, err
		}
		return func(v any) (kept []any) {
			list, _ := v.([]any)
			for _, item := range list {
				values, err := findPath(item, path)
				equal := err == nil && len(values) > 0 && fmt.Sprint(values[0]) == want
				if len(values) > 0 && equal == (operator == "==") {
					kept = append(kept, item)
				}
			}
			return kept
		}, nil
	}
	return nil, fmt.Errorf("filter %q is not understood", expression)
}
