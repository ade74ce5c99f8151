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

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cmd/vedette/internal/show"
	"vedette.dev/controller"
)

// explain is the flags of 'vedette explain'.
type explain struct {
	*streams
	url     string
	output  string
	timeout time.Duration
}

func newExplain(s *streams) *cobra.Command {
	e := &explain{streams: s}
	cmd := &cobra.Command{
		Use:   "explain KIND NS/NAME --url URL",
		Short: "Ask a running program why nothing happens to an object",
		Long: `Asks a program that was made with vedette.dev/runner, and was started with --debug-endpoints, where an object is on its way
through a controller: not seen yet, waiting for a worker, being worked on, backing off after an error, or done, and since when.

KIND is the kind that a controller is for, or the name of the controller. When several controllers look at the kind, all of them are asked.
NS/NAME is the key of the object; objects that live in no namespace have just a name. URL is where the program serves its health
checks, which is its --health-probe-bind-address.`,
		Example: examples(`
			kubectl port-forward deploy/shop-operator 8081 &
			vedette explain Shop default/corner --url http://localhost:8081

			# By the name of the controller, as JSON
			vedette explain shop-deployments default/corner --url http://localhost:8081 -o json`),
		Args: exactly(2, "KIND NS/NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			base, err := e.parse(args[1])
			if err != nil {
				return err
			}
			return e.run(cmd.Context(), base, args[0], args[1])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&e.url, "url", "", "Where the program serves its health checks, such as http://localhost:8081")
	flags.StringVarP(&e.output, "output", "o", "text", "text or json")
	flags.DurationVar(&e.timeout, "request-timeout", 10*time.Second, "How long the program may take to answer; 0 means no limit")
	return cmd
}

func (e *explain) parse(key string) (*url.URL, error) {
	if err := oneOf("output", e.output, "text", "json"); err != nil {
		return nil, err
	}
	if err := notNegative("request-timeout", e.timeout); err != nil {
		return nil, err
	}
	if key == "" || strings.Count(key, "/") > 1 || strings.HasPrefix(key, "/") || strings.HasSuffix(key, "/") {
		return nil, usagef("%q is no key; it must be NAMESPACE/NAME, or NAME for what lives in no namespace", key)
	}
	if e.url == "" {
		return nil, usagef("--url is missing: it says which program to ask, such as http://localhost:8081")
	}
	base, err := url.Parse(e.url)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, usagef("--url is %q, and must be like http://localhost:8081", e.url)
	}
	return base, nil
}

func (e *explain) run(ctx context.Context, base *url.URL, kind, key string) error {
	p := &program{base: base, client: &http.Client{Timeout: e.timeout}}
	defer p.client.CloseIdleConnections()
	names, err := p.controllers(ctx)
	if err != nil {
		return interrupted(ctx, err)
	}
	if i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, kind) }); i >= 0 {
		answer, err := p.explain(ctx, names[i], key)
		if err != nil {
			return interrupted(ctx, err)
		}
		return e.print([]controller.Explanation{answer})
	}
	// The sources of a controller say what it is for. One that cannot read the key is for something else.
	var found []controller.Explanation
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
		return e.print(found)
	case refused != nil:
		return interrupted(ctx, refused)
	}
	return fmt.Errorf("no controller of the program at %s is for %q; there are %s", base, kind, strings.Join(names, ", "))
}

func (e *explain) print(explanations []controller.Explanation) error {
	if e.output == "json" {
		return e.printJSON(explanations)
	}
	for _, one := range explanations {
		for line := range strings.Lines(one.String()) {
			if _, err := fmt.Fprintln(e.out, show.Clean(strings.TrimSuffix(line, "\n"))); err != nil {
				return err
			}
		}
	}
	return nil
}

// watches tells whether a controller has a source of a kind. Sources are named after Go types: for v1.Pod. People may say Pod, pods
// or pods.example.com.
func watches(e controller.Explanation, kind string) bool {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ".")
	for _, source := range e.Sources {
		_, name, _ := strings.Cut(source.Source, " ")
		name = strings.Trim(name[strings.LastIndexByte(name, '.')+1:], "[]*")
		plural, singular := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: name})
		if kind == plural.Resource || kind == singular.Resource {
			return true
		}
	}
	return false
}

// program is one that is asked.
type program struct {
	base   *url.URL
	client *http.Client
}

// controllers are the names of those that the program has.
func (p *program) controllers(ctx context.Context) (names []string, err error) {
	var states []struct{ Name string }
	if err := p.get(ctx, "/debug/controllers", nil, &states); err != nil {
		return nil, err
	}
	for _, state := range states {
		names = append(names, state.Name)
	}
	return names, nil
}

// explain asks one of them about a key.
func (p *program) explain(ctx context.Context, name, key string) (answer controller.Explanation, err error) {
	err = p.get(ctx, "/debug/explain", url.Values{"controller": {name}, "key": {key}}, &answer)
	return answer, err
}

// maxAnswer is how long an answer may be. They are a few kilobytes.
const maxAnswer = 16 << 20

// get asks for a path, and reads the answer, which is JSON, into a value.
func (p *program) get(ctx context.Context, path string, query url.Values, into any) error {
	target := p.base.JoinPath(path)
	target.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return fmt.Errorf("cannot reach a program at %s: %s\nIs it running, with --health-probe-bind-address and --debug-endpoints?", p.base, rootCause(withoutURL(err)))
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch {
	case err != nil:
		return fmt.Errorf("the answer of %s: %w", p.base, err)
	case response.StatusCode == http.StatusNotFound && query == nil:
		return fmt.Errorf("the program at %s has no %s; start it with --debug-endpoints", p.base, path)
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("the program at %s refuses: %s (%s)", p.base, strings.TrimSpace(string(body[:min(len(body), 500)])), response.Status)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("what answers at %s is no program of vedette.dev/runner: %w", target, err)
	}
	return nil
}

func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
