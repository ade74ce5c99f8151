//go:build unix

package kubectl

import (
	"regexp"
	"strings"
	"testing"
)

// volatile is what differs from run to run, or from server to server on purpose.
var volatile = []struct {
	pattern *regexp.Regexp
	becomes string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "TIME"},
	{regexp.MustCompile(`\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} 20\d\d \d\d:\d\d:\d\d \+0000`), "TIME"},
	{regexp.MustCompile(`(?i)(resource ?version"?: *)"?\d+"?`), `${1}"VERSION"`},
	{regexp.MustCompile(`(?i)(resourceVersion\\": *)\\"\d+\\"`), `${1}\"VERSION\"`},
	{regexp.MustCompile(`\b10\.\d{1,3}\.\d{1,3}\.\d{1,3}\b`), "10.IP"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC`), "TIME"},
	{regexp.MustCompile(`/(LIVE|MERGED)-\d+/`), "/$1/"},
	{regexp.MustCompile(`\t20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \+0000`), "\tTIME"},
	// What changed in a spec, in terms of the server's own types: docs/apitest.md.
	{regexp.MustCompile(`(?s)(if it was previously negative\)|for bound claims)\n[@ +-].*?\n\n`), "$1\nDIFFERENCE\n\n"},
	{regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`), "TOKEN"},
}

// ages stand in tables, so that what follows must not move.
var ages = regexp.MustCompile(`(\s)\d{1,2}s( *)`)

// steady is text without what differs from run to run.
func steady(text string) string {
	for _, v := range volatile {
		text = v.pattern.ReplaceAllString(text, v.becomes)
	}
	return ages.ReplaceAllStringFunc(text, func(age string) string {
		if strings.HasSuffix(age, " ") {
			return age[:1] + "AGE" + strings.Repeat(" ", len(age)-len("_AGE"))
		}
		return age[:1] + "AGE"
	})
}

func TestSteady(t *testing.T) {
	for text, want := range map[string]string{
		`uid: 01234567-89ab-4def-8123-456789abcdef`:                   `uid: UID`,
		"NAME   AGE\nweb    5s\ndb     59s\n":                         "NAME   AGE\nweb    AGE\ndb     AGE\n",
		"NAME   AGE   IP\nweb    5s    <none>\ndb     59s   <none>\n": "NAME   AGE   IP\nweb    AGE   <none>\ndb     AGE   <none>\n",
		`resourceVersion: "123"`:                                      `resourceVersion: "VERSION"`,
		`"resourceVersion": "123",`:                                   `"resourceVersion": "VERSION",`,
		`Creation Timestamp: 2024-01-02T03:04:05Z`:                    `Creation Timestamp: TIME`,
		`ClusterIP   10.0.0.173   <none>`:                             `ClusterIP   10.IP   <none>`,
		`terminationGracePeriodSeconds: 30`:                           `terminationGracePeriodSeconds: 30`,
	} {
		if got := steady(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
