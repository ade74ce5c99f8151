package apitest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// ParseFault parses the result of String, for example from a command line:
//
//	VERBS RESOURCE [namespace=N] [name=N] [user=N] [path=/P]: EFFECT [delay=D] [bytes=N] [retry-after=D] [after=N] [times=N] [p=X] [seed=N]
//
// VERBS are separated by commas, RESOURCE may have a group and a subresource, and * stands for any of either: both may
// be omitted. Values with spaces are quoted, as in Go. Some examples:
//
//	watch pods: 429 retry-after=1s times=3 p=0.5
//	list,watch deployments.apps namespace=default: slow delay=2s
//	update pods/status: 409 after=1 times=1
//	watch configmaps name=a: garbage
//	get path=/apis: 503
//	*: cut bytes=1000 p=0.01 seed=7
func ParseFault(text string) (Fault, error) {
	var f Fault
	words, err := splitWords(text)
	if err == nil {
		err = f.parse(words)
	}
	if err == nil {
		err = f.validate()
	}
	if err != nil {
		return Fault{}, fmt.Errorf("apitest: fault %q: %w", text, withoutPrefix(err))
	}
	return f, nil
}

func withoutPrefix(err error) error { return errors.New(strings.TrimPrefix(err.Error(), "apitest: ")) }

// word is a part of the text: name=value, or a value.
type word struct {
	name, value string
	colon       bool // it was the last one before the colon
}

// splitWords splits at spaces that are not within quotes.
func splitWords(text string) ([]word, error) {
	var words []word
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return words, nil
		}
		var w word
		if end := strings.IndexFunc(text, func(c rune) bool { return c == '=' || c == '"' || unicode.IsSpace(c) }); end >= 0 && text[end] == '=' {
			w.name, text = text[:end], text[end+1:]
		}
		if strings.HasPrefix(text, `"`) {
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, errors.New("unclosed quote")
			}
			if w.value, err = strconv.Unquote(quoted); err != nil {
				return nil, fmt.Errorf("%s: %w", quoted, err)
			}
			text = text[len(quoted):]
			if text, w.colon = strings.CutPrefix(text, ":"); text != "" && !startsWithSpace(text) {
				return nil, fmt.Errorf("missing space after %s", quoted)
			}
		} else {
			end := strings.IndexFunc(text, unicode.IsSpace)
			if end < 0 {
				end = len(text)
			}
			w.value, w.colon = strings.CutSuffix(text[:end], ":")
			text = text[end:]
		}
		words = append(words, w)
	}
}

func startsWithSpace(text string) bool {
	return strings.IndexFunc(text, unicode.IsSpace) == 0
}

func (f *Fault) parse(words []word) error {
	colon := slices.IndexFunc(words, func(w word) bool { return w.colon })
	if colon < 0 {
		return errors.New(`missing colon: want requests, a colon, and an effect, as in "watch pods: 429"; * stands for all requests`)
	}
	if err := f.Match.parse(words[:colon+1]); err != nil {
		return err
	}
	words = words[colon+1:]
	if len(words) == 0 || words[0].name != "" {
		return fmt.Errorf("missing effect after the colon: want one of %s", strings.Join(effectNames(), ", "))
	}
	f.Effect = Effect(words[0].value)
	given := map[string]bool{}
	for _, w := range words[1:] {
		if given[w.name] {
			return fmt.Errorf("duplicate %s", w.name)
		}
		given[w.name] = true
		if err := f.set(w); err != nil {
			return err
		}
	}
	return nil
}

// set sets one of the parameters after the colon.
func (f *Fault) set(w word) (err error) {
	switch w.name {
	case "delay":
		f.Delay, err = time.ParseDuration(w.value)
	case "bytes":
		f.Bytes, err = strconv.Atoi(w.value)
	case "retry-after":
		f.RetryAfter, err = time.ParseDuration(w.value)
	case "after":
		f.After, err = strconv.Atoi(w.value)
	case "times":
		f.Times, err = strconv.Atoi(w.value)
	case "p":
		f.Probability, err = strconv.ParseFloat(w.value, 64)
		if err == nil && f.Probability == 0 {
			err = errors.New("must be above 0")
		}
	case "seed":
		f.Seed, err = strconv.ParseUint(w.value, 10, 64)
	case "":
		return fmt.Errorf("%q is not of the form name=value", w.value)
	default:
		return fmt.Errorf("%s is not one of delay, bytes, retry-after, after, times, p, seed", w.name)
	}
	if err != nil {
		return fmt.Errorf("%s=%s: %w", w.name, w.value, err)
	}
	return nil
}

func (m *Match) parse(words []word) error {
	var bare []string
	given := map[string]bool{}
	for _, w := range words {
		if w.name == "" {
			if w.value != "" {
				bare = append(bare, w.value)
			}
			continue
		}
		if given[w.name] {
			return fmt.Errorf("duplicate %s", w.name)
		}
		given[w.name] = true
		if err := m.set(w); err != nil {
			return err
		}
	}
	if len(bare) > 2 {
		return fmt.Errorf("unexpected %q before the colon: want verbs and a resource", bare[2])
	}
	if len(bare) > 0 && bare[0] != "*" {
		m.Verbs = strings.Split(bare[0], ",")
	}
	if len(bare) > 1 {
		m.Resource, m.Subresource, _ = strings.Cut(bare[1], "/")
		if m.Resource == "*" {
			m.Resource = ""
		}
	}
	return nil
}

// set sets one of the parameters before the colon.
func (m *Match) set(w word) error {
	fields := map[string]*string{"namespace": &m.Namespace, "name": &m.Name, "user": &m.User, "path": &m.Path}
	field, ok := fields[w.name]
	if !ok {
		return fmt.Errorf("%s is not one of namespace, name, user, path", w.name)
	}
	if w.value == "" {
		return fmt.Errorf("%s is empty", w.name)
	}
	*field = w.value
	return nil
}
