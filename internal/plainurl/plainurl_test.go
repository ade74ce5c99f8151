package plainurl

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestHide(t *testing.T) {
	for address, want := range map[string]string{
		"https://host:6443/path":           "https://host:6443/path",
		"host:6443":                        "host:6443",
		"":                                 "",
		"https://user:pass@host/path":      "https://" + Redacted + "@host/path",
		"https://token@host":               "https://" + Redacted + "@host",
		"user:pass@host:6443":              Redacted + "@host:6443",
		"https://user:pa/ss@host":          "https://" + Redacted + "@host",
		"https://user:pa@ss@host":          "https://" + Redacted + "@host",
		"https://user:pass@host/a@b":       "https://" + Redacted + "@b", // more than needed, never less
		"ht tp://user:p%zzss@host:notport": "ht tp://" + Redacted + "@host:notport",
	} {
		if got := Hide(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

func TestErrorQuotesNothing(t *testing.T) {
	for _, address := range []string{
		"https://user:hunter2/@host", "https://user:hunter2@host:port", "https://user:%zhunter2@host", "https://user:hun ter2@host",
		"https://user:hunter2@ho st", "https://user:hunter2@host/%zz",
	} {
		_, err := url.Parse(address)
		if err == nil {
			t.Errorf("%q is valid", address)
			continue
		}
		if got := Error(address, err).Error(); strings.Contains(got, "hun") || strings.Contains(got, "%z") {
			t.Errorf("%q: %s", address, got)
		}
	}
	plain := strings.Join([]string{"https://host", "port"}, ":") // not a constant: staticcheck parses those
	_, err := url.Parse(plain)
	if got := Error(plain, err); !strings.Contains(got.Error(), `invalid port ":port"`) {
		t.Errorf("without a password: %v", got)
	}
	other := errors.New("other")
	if got := Error("https://a@b", other); got != other {
		t.Errorf("another error: %v", got)
	}
}
