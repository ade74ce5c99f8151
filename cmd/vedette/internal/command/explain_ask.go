package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vedette.dev/controller"
	"vedette.dev/internal/plainurl"
)

// program is one that is asked: by the endpoints of package runner, or by its live page.
type program struct {
	base *url.URL
	// name is base as messages show it: without a token, a user name or a password.
	name   string
	client *http.Client
	// token is for a page that asks for one.
	token string
	// page means that it is asked by its live page, which is in a folder below base.
	page   bool
	folder string
}

// newProgram makes one of an address, which may have the token of a page, as a browser is given it.
func newProgram(address *url.URL, timeout time.Duration) *program {
	base := *address
	base.RawQuery, base.Fragment = "", ""
	return &program{base: &base, name: printable(base.String()), client: &http.Client{Timeout: timeout}, token: address.Query().Get("token")}
}

// printable is an address without its query, which may have a token in it, and without a user name and a password.
func printable(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return plainurl.Hide(address)
}

// find asks the controller of that name, or all that are for a kind.
func (p *program) find(ctx context.Context, kind, key string) (found []controller.Explanation, err error) {
	names, err := p.controllers(ctx)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, kind) }); i >= 0 {
		answer, err := p.explain(ctx, names[i], key)
		return []controller.Explanation{answer}, err
	}
	// The sources of a controller say what it is for. One that cannot read the key is for something else.
	var refused error
	for _, name := range names {
		answer, err := p.explain(ctx, name, key)
		if err != nil {
			refused = err
		} else if watches(answer, kind) {
			found = append(found, answer)
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case refused != nil:
		return nil, refused
	case len(names) == 0:
		return nil, fmt.Errorf("the program at %s has no controllers, so that there is nothing to explain", p.name)
	}
	return nil, fmt.Errorf("no controller of the program at %s is for %q; there are %s", p.name, kind, strings.Join(names, ", "))
}

// controllers are the names of those that the program has. It finds out how the program is to be asked: the address may be that of a
// live page, or of a program that package runner runs, which has its page in a folder.
func (p *program) controllers(ctx context.Context) (names []string, err error) {
	var states []struct{ Name string }
	missing := p.get(ctx, "debug/controllers", nil, &states)
	if !errors.Is(missing, errNotServed) && !errors.Is(missing, errRefused) {
		for _, state := range states {
			names = append(names, state.Name)
		}
		return names, missing
	}
	for _, folder := range []string{"", "debug/vedette"} {
		var view struct {
			Queues []struct {
				Name       string
				Controller *struct{}
			}
		}
		err := p.get(ctx, folder+"/queues", url.Values{"format": {"json"}}, &view)
		if errors.Is(err, errNotServed) {
			continue
		}
		for _, queue := range view.Queues {
			if queue.Controller != nil { // other queues have no controller to ask
				names = append(names, queue.Name)
			}
		}
		p.page, p.folder = true, folder
		return names, err
	}
	return nil, missing
}

// explain asks one of them about a key.
func (p *program) explain(ctx context.Context, name, key string) (answer controller.Explanation, err error) {
	query := url.Values{"controller": {name}, "key": {key}}
	if !p.page {
		err = p.get(ctx, "debug/explain", query, &answer)
		return answer, err
	}
	query.Set("format", "json")
	var answers []controller.Explanation
	if err := p.get(ctx, p.folder+"/explain", query, &answers); err != nil {
		return answer, err
	}
	if len(answers) != 1 {
		return answer, fmt.Errorf("the live page at %s has %d answers about controller %s, and not one", p.name, len(answers), name)
	}
	return answers[0], nil
}

// errNotServed is that a program does not have what it was asked for.
var errNotServed = errors.New("start it with --debug-endpoints, or give the address of its live page")

// errRefused is that a program does not answer this machine. Its live page may, if it has a token.
var errRefused = errors.New("refuses")

// maxAnswer is how long an answer may be. They are a few kilobytes.
const maxAnswer = 16 << 20

// get asks for a path, and reads the answer, which is JSON, into a value.
func (p *program) get(ctx context.Context, path string, query url.Values, into any) error {
	target := p.base.JoinPath(path)
	target.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return plainurl.Error(target.String(), err)
	}
	if p.token != "" {
		request.Header.Set("Authorization", "Bearer "+p.token)
	}
	response, err := p.client.Do(request)
	if err != nil {
		return fmt.Errorf("cannot reach a program at %s: %s\nIs it running, with a live page, or with --health-probe-bind-address and --debug-endpoints?",
			p.name, rootCause(withoutURL(err)))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	reason := reasonOf(body)
	switch {
	case err != nil:
		return fmt.Errorf("the answer of %s: %w", p.name, err)
	case response.StatusCode == http.StatusNotFound && !query.Has("key"):
		return fmt.Errorf("the program at %s has no /%s; %w", p.name, path, errNotServed)
	case response.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("the program at %s refuses: %s (%s)\nGive --url the address as it was printed: %s?token=TOKEN", p.name, reason, response.Status, p.name)
	case response.StatusCode == http.StatusForbidden:
		return fmt.Errorf("the program at %s %w: %s (%s)", p.name, errRefused, reason, response.Status)
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("the program at %s refuses: %s (%s)", p.name, reason, response.Status)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("what answers at %s is neither a program of vedette.dev/runner nor a live page: %w", p.name+"/"+path, err)
	}
	return nil
}

// reasonOf is what an answer that is not the one that was asked for says.
func reasonOf(body []byte) string {
	var said struct{ Error string }
	if json.Unmarshal(body, &said) == nil && said.Error != "" {
		return said.Error
	}
	return strings.TrimSpace(string(body[:min(len(body), 500)]))
}

func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
