package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var pageAddress = regexp.MustCompile(`http://[^\s]+`)

// page asks the console of a program for a view, until that has something: page NAME VIEW REGEXP. With !, a view that answers must not
// have it.
func page(ts *testscript.TestScript, neg bool, args []string) {
	text, _ := of(ts).programs[args[0]].output()
	base, err := url.Parse(pageAddress.FindString(text))
	ts.Check(err)
	jar, err := cookiejar.New(nil)
	ts.Check(err)
	client := &http.Client{Jar: jar}
	defer client.CloseIdleConnections()
	want := regexp.MustCompile(args[2])
	for {
		code, body := fetch(ts, client, base, args[1])
		if neg {
			if code != http.StatusOK || want.MatchString(body) {
				ts.Fatalf("%s: %d, and there is %q in\n%s", args[1], code, args[2], body)
			}
			return
		}
		if code == http.StatusOK && want.MatchString(body) {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-of(ts).ctx.Done():
			ts.Fatalf("%s: %d, and there is no %q in\n%s", args[1], code, args[2], body)
		}
	}
}

// pageOf sets PAGE to the address of the console of a program, without a token: address NAME.
func pageOf(ts *testscript.TestScript, _ bool, args []string) {
	text, _ := of(ts).programs[args[0]].output()
	address, _, _ := strings.Cut(pageAddress.FindString(text), "?")
	ts.Setenv("PAGE", address)
}

var hinted = regexp.MustCompile(`(?m): vedette (explain .*)$`)

// hint runs the command that a demo has printed, which must succeed: hint NAME.
func hint(ts *testscript.TestScript, _ bool, args []string) {
	text, _ := of(ts).programs[args[0]].output()
	found := hinted.FindStringSubmatch(text)
	if found == nil {
		ts.Fatalf("%s has not said how to ask it:\n%s", args[0], text)
	}
	exits(ts, false, append([]string{"0", "vedette"}, strings.Fields(found[1])...))
}

// fetch asks for a view, after the address itself was visited, which may have a token.
func fetch(ts *testscript.TestScript, client *http.Client, base *url.URL, view string) (code int, body string) {
	for _, address := range []string{base.String(), fmt.Sprintf("http://%s/%s", base.Host, view)} {
		resp, err := client.Get(address)
		ts.Check(err)
		data, err := io.ReadAll(resp.Body)
		ts.Check(err)
		_ = resp.Body.Close()
		code, body = resp.StatusCode, string(data)
	}
	return code, body
}
