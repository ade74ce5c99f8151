package api

import (
	"fmt"
	"slices"
	"strings"
)

const mark = "+genclient"

// marksIn returns the marks in a comment, without their prefix: "", ":nonNamespaced", ":onlyVerbs=create".
func marksIn(text string) []string {
	var marks []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "//"))
		if rest, ok := strings.CutPrefix(line, mark); ok {
			marks = append(marks, strings.TrimSpace(rest))
		}
	}
	return marks
}

// apply changes the kind as the marks above its type say.
func (k *Kind) apply(marks []string) error {
	for _, m := range marks {
		if err := k.applyOne(m); err != nil {
			return fmt.Errorf("%s: %s%s: %w", k.Name, mark, m, err)
		}
	}
	return nil
}

func (k *Kind) applyOne(m string) error {
	name, value, _ := strings.Cut(m, "=")
	switch name {
	case "":
		return nil
	case ":nonNamespaced":
		k.Namespaced = false
		return nil
	case ":noStatus":
		k.Verbs = k.Verbs.Without("updateStatus", "applyStatus")
		return nil
	case ":noVerbs":
		k.Verbs = nil
		return nil
	case ":onlyVerbs":
		only, err := verbs(value)
		k.Verbs = k.Verbs.Without(k.Verbs.Without(only...)...)
		return err
	case ":skipVerbs":
		skip, err := verbs(value)
		k.Verbs = k.Verbs.Without(skip...)
		return err
	case ":method":
		method, err := parseMethod(value)
		k.Methods = append(k.Methods, method)
		return err
	default:
		return fmt.Errorf("not a mark that this generator knows")
	}
}

func verbs(list string) (Verbs, error) {
	var found Verbs
	for name := range strings.SplitSeq(list, ",") {
		if !slices.Contains(AllVerbs, Verb(name)) {
			return nil, fmt.Errorf("no verb %q", name)
		}
		found = append(found, Verb(name))
	}
	return found, nil
}

// parseMethod reads "GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale".
func parseMethod(text string) (Method, error) {
	name, rest, _ := strings.Cut(text, ",")
	m := Method{Name: name}
	for setting := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(setting, "=")
		switch key {
		case "verb":
			m.Verb = Verb(value)
		case "subresource":
			m.Subresource = value
		case "input":
			m.Input = typeRef(value)
		case "result":
			m.Result = typeRef(value)
		default:
			return m, fmt.Errorf("no setting %q of a method", key)
		}
	}
	if !slices.Contains([]Verb{"create", "get", "update", "apply"}, m.Verb) {
		return m, fmt.Errorf("no way to make a method for the verb %q", m.Verb)
	}
	if m.Name == "" || m.Subresource == "" {
		return m, fmt.Errorf("a method needs a name and a subresource")
	}
	return m, nil
}

// typeRef reads "Scale" or "k8s.io/api/autoscaling/v1.Scale".
func typeRef(text string) TypeRef {
	dot := strings.LastIndex(text, ".")
	return TypeRef{Import: text[:max(dot, 0)], Name: text[dot+1:]}
}
