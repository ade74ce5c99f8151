package command

import (
	"context"
	"fmt"
	"net/url"
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
	programFlags
}

// programFlags select the program that is asked, and the format of what it answers.
type programFlags struct {
	url     string
	output  string
	timeout time.Duration
}

// add adds the flags. format is the one for people.
func (f *programFlags) add(cmd *cobra.Command, format string) {
	flags := cmd.Flags()
	flags.StringVar(&f.url, "url", "", "Where the program serves its health checks, such as http://localhost:8081, or its live page")
	flags.StringVarP(&f.output, "output", "o", format, format+" or json")
	flags.DurationVar(&f.timeout, "request-timeout", 10*time.Second, "How long the program may take to answer; 0 means no limit")
}

// parse validates the flags.
func (f *programFlags) parse(format string) (*url.URL, error) {
	if err := oneOf("output", f.output, format, "json"); err != nil {
		return nil, err
	}
	if err := notNegative("request-timeout", f.timeout); err != nil {
		return nil, err
	}
	if f.url == "" {
		return nil, usagef("--url is missing: it says which program to ask, such as http://localhost:8081")
	}
	base, err := url.Parse(f.url)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, usagef("--url is %q, and must be like http://localhost:8081", printable(f.url))
	}
	return base, nil
}

func newExplain(s *streams) *cobra.Command {
	e := &explain{streams: s}
	cmd := &cobra.Command{
		Use:   "explain KIND NS/NAME --url URL",
		Short: "Ask a running program why nothing happens to an object",
		Long: `Asks a running program where an object is on its way through a controller: not seen yet, waiting for a worker, being worked on,
backing off after an error, or done, and since when. If no controller knows of the object, the exit status is 1.

KIND is the kind that a controller is for, or the name of the controller. When several controllers look at the kind, all of them are asked.
NS/NAME is the key of the object; objects that live in no namespace have just a name.

URL is where a program that was made with vedette.dev/runner, and was started with --debug-endpoints, serves its health checks, which
is its --health-probe-bind-address. Or it is the address of a live page, as 'vedette demo' prints it, with the token if there is one; for
a controller-runtime program with vedette.dev/bridge/ctrl, that is the address of its metrics server.`,
		Example: examples(`
			# Of 'vedette demo', at the address that it prints
			vedette explain Site default/site-0 --url http://127.0.0.1:44975/

			# Of a program in a cluster
			kubectl port-forward deploy/shop-operator 8081 &
			vedette explain Shop default/corner --url http://localhost:8081

			# By the name of the controller, as JSON
			vedette explain shop-deployments default/corner --url http://localhost:8081 -o json`),
		Args: exactly(2, "KIND NS/NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkKey(args[1]); err != nil {
				return err
			}
			base, err := e.parse("text")
			if err != nil {
				return err
			}
			return e.run(cmd.Context(), base, args[0], args[1])
		},
	}
	e.add(cmd, "text")
	return cmd
}

func checkKey(key string) error {
	if key == "" || strings.Count(key, "/") > 1 || strings.HasPrefix(key, "/") || strings.HasSuffix(key, "/") {
		return usagef("%q is not a key; it must be NAMESPACE/NAME, or NAME for what lives in no namespace", key)
	}
	return nil
}

func (e *explain) run(ctx context.Context, base *url.URL, kind, key string) error {
	p := newProgram(base, e.timeout)
	defer p.client.CloseIdleConnections()
	found, err := p.find(ctx, kind, key)
	if err != nil {
		return interrupted(ctx, err)
	}
	if err := e.print(found); err != nil {
		return err
	}
	return known(found, key)
}

// known is an error if no controller knows of the key.
func known(found []controller.Explanation, key string) error {
	var names []string
	for _, one := range found {
		if one.Stage != controller.StageUnknown {
			return nil
		}
		names = append(names, one.Controller)
	}
	hint := "Is its name right, and its namespace?"
	if !strings.Contains(key, "/") {
		hint = "What lives in a namespace is NAMESPACE/NAME"
	}
	return fmt.Errorf("%s knows nothing of %s\n%s", strings.Join(names, ", "), key, hint)
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

// watches reports whether a controller has a source of a kind. Sources are named after Go types: for v1.Pod. People may say Pod, pods
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
