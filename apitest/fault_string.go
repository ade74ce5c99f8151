package apitest

import (
	"strconv"
	"strings"
	"unicode"
)

// String returns the fault in the form that [ParseFault] parses.
func (f Fault) String() string {
	var out strings.Builder
	out.WriteString(f.Match.String() + ": " + string(f.Effect))
	add := func(name, value string, given bool) {
		if given {
			out.WriteString(" " + name + "=" + value)
		}
	}
	add("delay", f.Delay.String(), f.Delay != 0)
	add("bytes", strconv.Itoa(f.Bytes), f.Bytes != 0)
	add("retry-after", f.RetryAfter.String(), f.RetryAfter != 0)
	add("after", strconv.Itoa(f.After), f.After != 0)
	add("times", strconv.Itoa(f.Times), f.Times != 0)
	add("p", strconv.FormatFloat(f.Probability, 'g', -1, 64), f.Probability != 0)
	add("seed", strconv.FormatUint(f.Seed, 10), f.Seed != 0)
	return out.String()
}

// String returns the part before the colon.
func (m Match) String() string {
	words := []string{"*"}
	if len(m.Verbs) > 0 {
		words[0] = strings.Join(m.Verbs, ",")
	}
	switch {
	case m.Subresource != "" && m.Resource == "":
		words = append(words, "*/"+m.Subresource)
	case m.Subresource != "":
		words = append(words, m.Resource+"/"+m.Subresource)
	case m.Resource != "":
		words = append(words, m.Resource)
	}
	for _, field := range []struct{ name, value string }{
		{"namespace", m.Namespace}, {"name", m.Name}, {"user", m.User}, {"path", m.Path},
	} {
		if field.value != "" {
			words = append(words, field.name+"="+quoted(field.value))
		}
	}
	return strings.Join(words, " ")
}

// quoted quotes a value if necessary.
func quoted(value string) string {
	plain := !strings.HasSuffix(value, ":") && !strings.HasPrefix(value, `"`) && strconv.Quote(value) == `"`+value+`"`
	if plain && strings.IndexFunc(value, unicode.IsSpace) < 0 {
		return value
	}
	return strconv.Quote(value)
}
