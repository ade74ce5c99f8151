package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vedette.dev/cmd/vedette/internal/show"
	"vedette.dev/internal/advice"
)

// advise is the flags of 'vedette advise'.
type advise struct {
	*streams
	programFlags
	after time.Duration
}

func newAdvise(s *streams) *cobra.Command {
	a := &advise{streams: s}
	cmd := &cobra.Command{
		Use:   "advise --url URL",
		Short: "Say which storage fits the kinds that a running program caches",
		Long: `Asks a running program how its informers store their objects, how large they are and what reads them, and says for each kind which
storage fits: live, that is decoded, or packed, that is as compressed bytes which each read decodes (cache.Storage).

READS/S is how many objects readers decode per second, by sort; of what is not packed, only lists are counted. DECODING is the time that
they take, TOP CALLER the function that reads most. SAVES is what the advised storage saves, compared with the present one, or with live
storage if nothing is to be changed; if it is negative, the memory costs less than decoding. Sizes of what is not packed are estimates.

URL is the address of a live page, or where a program that has one serves its health checks: see 'vedette help explain'.`,
		Example: examples(`
			# Of 'vedette demo', at the address that it prints
			vedette advise --url http://127.0.0.1:44975/

			# Of a program in a cluster
			kubectl port-forward deploy/shop-operator 8081 &
			vedette advise --url http://localhost:8081

			# The kinds that would be better stored in another way
			vedette advise --url http://localhost:8081 -o json | jq '.[] | select(.advice.change) | .informer'`),
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			base, err := a.parse("table")
			if err == nil {
				err = notNegative("after", a.after)
			}
			if err != nil {
				return err
			}
			return a.run(cmd.Context(), base)
		},
	}
	a.add(cmd, "table")
	cmd.Flags().DurationVar(&a.after, "after", advice.Enough, "How long an informer must have run before a storage is advised")
	return cmd
}

// advised is a kind with the advice.
type advised struct {
	advice.Kind
	Advice advice.Advice `json:"advice"`
}

func (a *advise) run(ctx context.Context, base *url.URL) error {
	p := newProgram(base, a.timeout)
	defer p.client.CloseIdleConnections()
	kinds, err := p.kinds(ctx)
	if err != nil {
		return interrupted(ctx, err)
	}
	var all []advised
	for _, k := range kinds {
		all = append(all, advised{k, advice.Of(k, a.after)})
	}
	if a.output == "json" {
		return a.printJSON(all)
	}
	_, err = io.WriteString(a.out, adviceText(all))
	return err
}

// kinds asks the live page of a program for what it caches.
func (p *program) kinds(ctx context.Context) ([]advice.Kind, error) {
	var view struct{ Kinds []advice.Kind }
	err := errNotServed
	for _, folder := range []string{"", "debug/vedette"} {
		if err = p.get(ctx, folder+"/storage", url.Values{"format": {"json"}}, &view); !errors.Is(err, errNotServed) {
			break
		}
	}
	switch {
	case errors.Is(err, errNotServed):
		return nil, fmt.Errorf("the program at %s has no live page, or an older one, which does not say how objects are stored\n"+
			"Add one with vedette.dev/console, and give --url its address", p.name)
	case err != nil:
		return nil, err
	case len(view.Kinds) == 0:
		return nil, fmt.Errorf("the live page at %s shows no informers\nName them in console.Config.Informers", p.name)
	}
	return view.Kinds, nil
}

// adviceText is a table of the kinds, and a paragraph on each.
func adviceText(all []advised) string {
	table := show.NewTable("KIND", ">OBJECTS", "STORAGE", ">MEMORY", "READS/S", ">DECODING", "TOP CALLER", "FITS", ">SAVES")
	var why strings.Builder
	for _, k := range all {
		memory, decoding, caller, saves := "", "", "", ""
		if k.HeldBytes > 0 {
			memory = advice.Size(k.HeldBytes)
		}
		if k.Packed {
			decoding = advice.Cores(k.Cores())
		}
		if len(k.Callers) > 0 {
			c := k.Callers[0]
			caller = strings.TrimSpace(c.Name()+" "+c.Line) + ", " + c.Percent() + " %"
		}
		if k.Advice.Saves != 0 {
			saves = advice.Size(k.Advice.Saves)
		}
		table.Add(k.Informer, show.Count(k.Objects), k.Storage(), memory, readsOf(&k.Kind), decoding, caller, k.Advice.Storage, saves)
		fmt.Fprintf(&why, "%s: %s\n", show.Clean(k.Informer), show.Clean(k.Advice.Why))
		if k.Advice.Instead != "" {
			fmt.Fprintf(&why, "  %s\n", show.Clean(k.Advice.Instead))
		}
	}
	return table.String() + "\n" + why.String()
}

// readsOf is what is read per second, by sort.
func readsOf(k *advice.Kind) string {
	var parts []string
	for _, d := range k.Decodes {
		parts = append(parts, fmt.Sprintf("%s %.3g", d.Use, d.PerSecond))
	}
	if !k.Packed && k.Lists > 0 {
		parts = append(parts, fmt.Sprintf("lists %.3g", k.Lists))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}
