package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"vedette.dev/cmd/vedette/internal/show"
	"vedette.dev/shardgroup"
)

// shards is the flags of 'vedette shards'.
type shards struct {
	*streams
	clusterFlags
	output string
	each   bool
}

func newShards(s *streams) *cobra.Command {
	c := &shards{streams: s}
	cmd := &cobra.Command{
		Use:   "shards GROUP",
		Short: "Print which replica of a group owns which shards",
		Long: `Prints the members and the shards of a group of replicas that share the work (package shardgroup), as they are on the server: who owns
how much, which shards go to another member, and which have no owner. GROUP is the name of the group, which is also the name of the
ConfigMap with its map.

It reads that ConfigMap and the Leases of the members once. It needs the rights to get configmaps and to list leases in the namespace.`,
		Example: examples(`
			# The members of a group, and what moves
			vedette shards pods -n ops

			# Every shard
			vedette shards pods -n ops --each

			# For other programs
			vedette shards pods -n ops -o json | jq '[.shards[] | select(.owner == null)] | length'`),
		Args: exactly(1, "GROUP"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("output", c.output, "table", "json"); err != nil {
				return err
			}
			if c.all {
				return usagef("--all-namespaces is not for this command: name the namespace of the group with -n")
			}
			return c.run(cmd.Context(), args[0])
		},
	}
	c.add(cmd)
	flags := cmd.Flags()
	flags.StringVarP(&c.output, "output", "o", "table", "table or json")
	flags.BoolVar(&c.each, "each", false, "Print every shard, not only those that move or have no owner")
	_ = flags.MarkHidden("all-namespaces")
	flags.Lookup("namespace").Usage = "The namespace of the group"
	return cmd
}

func (c *shards) run(ctx context.Context, name string) error {
	cluster, err := c.connect(c.streams)
	if err != nil {
		return err
	}
	limited, cancel := cluster.limit(ctx)
	defer cancel()
	group, err := shardgroup.Read(limited, cluster.config, cluster.namespace, name)
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("there is no group %q in namespace %s%s\nvedette shards reads the ConfigMap of that name; choose the namespace with -n",
			name, cluster.namespace, cluster.inContext())
	case errors.Is(err, shardgroup.ErrInvalidMap):
		return err
	case err != nil:
		return cluster.explainError(limited, err, "read group "+name)
	}
	var text strings.Builder
	if c.output == "json" {
		if err := writeGroupJSON(&text, group); err != nil {
			return err
		}
	} else {
		c.write(&text, group, time.Now())
	}
	_, err = io.WriteString(c.out, text.String())
	return err
}

// write writes the group for people.
func (c *shards) write(text *strings.Builder, g *shardgroup.Overview, now time.Time) {
	fmt.Fprintf(text, "%s: %d shards by %s\n", g.Group, len(g.Shards), g.Key)
	if g.Unproven {
		fmt.Fprintf(text, "The map is new: nothing is granted before all members of an earlier one have let go.\n")
	}
	members := show.NewTable("MEMBER", "PHASE", ">SHARDS", ">LOAD", ">CAPACITY", ">RENEWED", "")
	for _, m := range g.Members {
		renewed, note := "", ""
		if !m.Renewed.IsZero() {
			age := max(0, now.Sub(m.Renewed))
			renewed = show.Age(age)
			if age > m.LeaseDuration && (m.Phase == "active" || m.Phase == "leaving") {
				note = "does not renew its lease"
			}
		}
		if m.Coordinator {
			note = strings.TrimPrefix(note+", coordinator", ", ")
		}
		members.Add(m.Name, cmp.Or(m.Phase, "no lease"), show.Count(m.Shards), show.Count(int64(m.Load)), fmt.Sprintf("%.3g", m.Capacity), renewed, note)
	}
	fmt.Fprintf(text, "\n%s", members)
	table := show.NewTable("SHARD", "PHASE", "OWNER", "TO", ">EPOCH", ">LOAD")
	free := 0
	for i, s := range g.Shards {
		if s.Owner == "" {
			free++
		}
		if c.each || s.Phase != "owned" {
			table.Add(shardgroup.ShardID(i), s.Phase, cmp.Or(s.Owner, "(none)"), s.Target, fmt.Sprint(s.Epoch), show.Count(int64(s.Load)))
		}
	}
	if table.Len() > 0 {
		fmt.Fprintf(text, "\n%s", table)
	}
	if free > 0 {
		fmt.Fprintf(text, "\n%d of %d shards have no owner.\n", free, len(g.Shards))
	}
}

func writeGroupJSON(w io.Writer, g *shardgroup.Overview) error {
	type member struct {
		Name          string    `json:"name"`
		Phase         string    `json:"phase,omitempty"`
		Coordinator   bool      `json:"coordinator,omitempty"`
		Shards        int       `json:"shards"`
		Load          float64   `json:"load"`
		Capacity      float64   `json:"capacity"`
		Renewed       time.Time `json:"renewed,omitzero"`
		LeaseDuration float64   `json:"leaseDurationSeconds"`
	}
	type one struct {
		ID     string  `json:"id"`
		Phase  string  `json:"phase"`
		Owner  string  `json:"owner,omitempty"`
		Target string  `json:"target,omitempty"`
		Epoch  int64   `json:"epoch"`
		Load   float64 `json:"load"`
	}
	out := struct {
		Group    string   `json:"group"`
		Key      string   `json:"key"`
		Unproven bool     `json:"unproven,omitempty"`
		Members  []member `json:"members"`
		Shards   []one    `json:"shards"`
	}{Group: g.Group, Key: g.Key, Unproven: g.Unproven}
	for _, m := range g.Members {
		out.Members = append(out.Members, member{m.Name, m.Phase, m.Coordinator, m.Shards, m.Load, m.Capacity, m.Renewed, m.LeaseDuration.Seconds()})
	}
	for i, s := range g.Shards {
		out.Shards = append(out.Shards, one{shardgroup.ShardID(i), s.Phase, s.Owner, s.Target, s.Epoch, s.Load})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}
