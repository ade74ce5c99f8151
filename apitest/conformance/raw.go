package conformance

import (
	"encoding/json"
	"net/url"
	"strings"
)

// answer is what came back to a request that was written out by hand, error or not.
type answer struct {
	code        int
	contentType string
	body        []byte
	err         error
}

// ask sends a request as it is, with JSON both ways unless the headers, in pairs of name and value, say otherwise. It is
// not sent again, whatever the server answers.
func (e *env) ask(method, uri, body string, headers ...string) answer {
	e.Helper()
	path, query, _ := strings.Cut(uri, "?")
	r := e.json.Verb(method).AbsPath(path).MaxRetries(0).
		SetHeader("Accept", "application/json").SetHeader("Content-Type", "application/json")
	params, err := url.ParseQuery(query)
	e.must(err)
	for name, values := range params {
		r.Param(name, values[0])
	}
	for i := 0; i < len(headers); i += 2 {
		r.SetHeader(headers[i], headers[i+1])
	}
	if body != "" {
		r.Body([]byte(body))
	}
	var a answer
	result := r.Do(e.ctx).StatusCode(&a.code).ContentType(&a.contentType)
	a.body, _ = result.Raw()
	a.err = result.Error() // unlike that of Raw, it has the Status that the server sent
	return a
}

// get is ask for what has to succeed, decoded.
func (e *env) get(uri string, headers ...string) map[string]any {
	e.Helper()
	a := e.ask("GET", uri, "", headers...)
	e.must(a.err)
	return e.object(a)
}

// object is the answer's body, which is JSON.
func (e *env) object(a answer) map[string]any {
	e.Helper()
	var object map[string]any
	if err := json.Unmarshal(a.body, &object); err != nil {
		e.Fatalf("the answer %.200q: %v", a.body, err)
	}
	return object
}

// at is the value below a path of keys, or nil.
func at(object any, keys ...string) any {
	for _, key := range keys {
		m, _ := object.(map[string]any)
		object = m[key]
	}
	return object
}

// configMapsPath is where the config maps of the behaviour's namespace are.
func (e *env) configMapsPath() string {
	e.Helper()
	return "/api/v1/namespaces/" + e.namespace() + "/configmaps"
}
