package apitest_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"vedette.dev/apitest"
)

func TestParseFault(t *testing.T) {
	match := func(m apitest.Match, f apitest.Fault) apitest.Fault { f.Match = m; return f }
	for text, want := range map[string]apitest.Fault{
		"watch pods: 429 retry-after=1s times=3 p=0.5": match(apitest.Match{Verbs: []string{"watch"}, Resource: "pods"},
			apitest.Fault{Effect: apitest.AnswerTooManyRequests, RetryAfter: time.Second, Times: 3, Probability: .5}),
		"list,watch deployments.apps namespace=default: slow delay=2s": match(apitest.Match{Verbs: []string{"list", "watch"}, Resource: "deployments.apps", Namespace: "default"},
			apitest.Fault{Effect: apitest.Slow, Delay: 2 * time.Second}),
		"update pods/status: 409 after=1 times=1": match(apitest.Match{Verbs: []string{"update"}, Resource: "pods", Subresource: "status"},
			apitest.Fault{Effect: apitest.AnswerConflict, After: 1, Times: 1}),
		"* */*: 500": match(apitest.Match{Subresource: "*"}, apitest.Fault{Effect: apitest.AnswerInternalError}),
		`get pods name="a b" user=system:serviceaccount:a:b: garbage`: match(apitest.Match{Verbs: []string{"get"}, Resource: "pods", Name: "a b", User: "system:serviceaccount:a:b"},
			apitest.Fault{Effect: apitest.Garbage}),
		`* user="colon:": 401`: match(apitest.Match{User: "colon:"}, apitest.Fault{Effect: apitest.AnswerUnauthorized}),
		"get path=/apis: 503":  match(apitest.Match{Verbs: []string{"get"}, Path: "/apis"}, apitest.Fault{Effect: apitest.AnswerUnavailable}),
		"*: cut bytes=1000 p=0.01 seed=7": match(apitest.Match{},
			apitest.Fault{Effect: apitest.Cut, Bytes: 1000, Probability: .01, Seed: 7}),
	} {
		got, err := apitest.ParseFault(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if got.String() != text {
			t.Errorf("%s is written as %s", text, got)
		}
	}
	// Other ways to write the same.
	for text, want := range map[string]string{
		"  * * :\t404 ":                  "*: 404",
		": 404":                          "*: 404",
		"get: 404 p=1":                   "get: 404 p=1",
		`list "pods": 410-gone times=02`: "list pods: 410-gone times=2",
	} {
		if got, err := apitest.ParseFault(text); err != nil || got.String() != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// What is wrong with a fault is said in words that name the place.
func TestWrongFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "missing colon",
		"429":                                "missing colon",
		"watch pods:":                        "missing effect after the colon",
		"watch pods: times=3":                "missing effect after the colon",
		"watch pods: 418":                    `Fault.Effect "418" is not one of 401, 403,`,
		"watch pods: 429 often":              `"often" is not of the form name=value`,
		"watch pods: 429 tmies=3":            "tmies is not one of delay, bytes, retry-after, after, times, p, seed",
		"watch pods: 429 times=three":        "times=three: ",
		"watch pods: 429 times=-1":           "Fault.Times is negative",
		"watch pods: 429 times=1 times=2":    "duplicate times",
		"watch pods: 429 after=-1":           "Fault.After is negative",
		"watch pods: 429 p=2":                "Fault.Probability is 2, want 0 to 1",
		"watch pods: 429 p=NaN":              "Fault.Probability is NaN",
		"watch pods: 429 p=0":                "p=0: must be above 0",
		"watch pods: 429 seed=1":             "Fault.Seed has no meaning without a Probability",
		"watch pods: 429 retry-after=1":      "retry-after=1: time: missing unit",
		"watch pods: 429 retry-after=1500ms": "Fault.RetryAfter is 1.5s: the header has whole seconds",
		"watch pods: 404 retry-after=1s":     `Fault.RetryAfter has no meaning for "404"`,
		"watch pods: 429 delay=1s":           `Fault.Delay has no meaning for "429"; add a fault with the effect "slow"`,
		"watch pods: slow":                   "Fault.Delay is missing",
		"watch pods: slow delay=-1s":         "Fault.Delay is negative",
		"watch pods: 429 bytes=1":            `Fault.Bytes has no meaning for "429"`,
		"watch pods: cut bytes=-1":           "Fault.Bytes is negative",
		"list pods: duplicate":               `Fault.Effect "duplicate" is for watches, but Match.Verbs does not have watch`,
		"look pods: 404":                     `Fault.Match.Verbs has "look", want one of get, list, watch,`,
		"get Pods: 404":                      `Fault.Match.Resource "Pods" is not of the form pods or deployments.apps`,
		"get pods/Status: 404":               `Fault.Match.Subresource "Status" is not of the form status, or *`,
		"get pods extra: 404":                `unexpected "extra" before the colon`,
		"get pods nmae=a: 404":               "nmae is not one of namespace, name, user, path",
		"get pods name=: 404":                "name is empty",
		"get pods name=a name=b: 404":        "duplicate name",
		"get pods name=a/b: 404":             `Fault.Match.Name "a/b" has a slash`,
		"get pods namespace=a/b: 404":        `Fault.Match.Namespace "a/b" has a slash`,
		"get path=apis: 404":                 `Fault.Match.Path "apis" does not begin with a slash`,
		`get pods name="a: 404`:              "unclosed quote",
		`get pods name="a"b: 404`:            `missing space after "a"`,
	} {
		_, err := apitest.ParseFault(text)
		if err == nil || !strings.HasPrefix(err.Error(), "apitest: fault ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
	server := apitest.New(t, apitest.Config{InMemory: true})
	if _, err := server.Inject(apitest.Fault{}); err == nil || err.Error() != "apitest: Fault.Effect is missing" {
		t.Error(err)
	}
	direct := apitest.New(t, apitest.Config{InProcess: true})
	if _, err := direct.Inject(apitest.Fault{Effect: apitest.Silence}); err == nil || !strings.Contains(err.Error(), "Config.InProcess does not have") {
		t.Error(err)
	}
	_, err := apitest.Start(apitest.Config{Faults: []apitest.Fault{{Effect: apitest.End}, {Effect: "no"}}})
	if err == nil || !strings.HasPrefix(err.Error(), `apitest: Config.Faults[1]: Fault.Effect "no" is not one of `) {
		t.Error(err)
	}
}

// Whatever can be read is written so that it reads the same.
func FuzzParseFault(f *testing.F) {
	for _, text := range []string{
		"watch pods: 429 retry-after=1s times=3 p=0.5", "* */*: 500", `get pods name="a b" user=a:b: garbage`,
		"*: cut bytes=1000 p=0.01 seed=7", ": lag delay=1ns", "get path=/apis: 503", `list x user="\x00:": 401`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := apitest.ParseFault(text)
		if err != nil {
			return
		}
		again, err := apitest.ParseFault(fault.String())
		if err != nil || !reflect.DeepEqual(again, fault) {
			t.Errorf("%q is written as %q, which is %+v, %v", text, fault, again, err)
		}
	})
}
