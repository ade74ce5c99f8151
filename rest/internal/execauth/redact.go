package execauth

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	clientcmdapi "vedette.dev/clientcmd/api"
)

const redacted = "[redacted]"

// shortest is the length from which a value of the configuration is looked for in what a plugin writes. Shorter ones
// are parts of words.
const shortest = 4

// redactor removes from the plugin's own words what must not be in a log: the arguments and the environment that
// the configuration gave it, and all that looks like a token.
type redactor struct{ values *strings.Replacer }

func newRedactor(c *clientcmdapi.ExecConfig) redactor {
	var values []string
	add := func(value string) {
		if len(value) >= shortest {
			values = append(values, value)
		}
	}
	for _, arg := range c.Args {
		add(arg)
		if _, value, ok := strings.Cut(arg, "="); ok {
			add(value)
		}
	}
	for _, e := range c.Env {
		add(e.Value)
	}
	// The longest first, so that no value hides another of which it is the beginning.
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, value := range values {
		pairs = append(pairs, value, redacted)
	}
	return redactor{strings.NewReplacer(pairs...)}
}

// tokenLike matches runs of the characters that tokens are made of, too long to be a word.
var tokenLike = regexp.MustCompile(`[A-Za-z0-9+/=_-]{20,}`)

func (r redactor) clean(text string) string {
	text = r.values.Replace(text)
	return tokenLike.ReplaceAllStringFunc(text, func(run string) string {
		if strings.ContainsFunc(run, unicode.IsDigit) && strings.ContainsFunc(run, unicode.IsLetter) {
			return redacted
		}
		return run
	})
}

// quote returns the end of an error message: what the plugin wrote last, or nothing.
func (r redactor) quote(text string) string {
	text = lastWords(r.clean(text))
	if text == "" {
		return ""
	}
	return fmt.Sprintf("; it wrote: %q", text)
}
