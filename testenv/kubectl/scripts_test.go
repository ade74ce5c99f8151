//go:build unix

package kubectl

import (
	"context"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/testscript"

	"vedette.dev/apitest"
	"vedette.dev/testenv"
)

var update = flag.Bool("update", false, "write what kubectl says about the real server into the scripts")

// Same script, same server as far as kubectl can tell.
func TestScripts(t *testing.T) {
	program := buildKubectl(t)
	real, ours := &transcripts{}, &transcripts{}
	t.Run("real", func(t *testing.T) {
		env := testenv.New(t, testenv.Config{})
		run(t, program, &server{config: env.RESTConfig(), plain: env.PlainRESTConfig(), kubeconfig: env.Kubeconfig()}, real, *update)
	})
	t.Run("apitest", func(t *testing.T) {
		run(t, program, startOurs(t), ours, false)
	})
	t.Run("same", func(t *testing.T) { compare(t, real, ours) })
}

func startOurs(t *testing.T) *server {
	const plain = "plain"
	s := apitest.New(t, apitest.Config{
		NoControllers: true, // there are none beside the real one, either
		Tokens: map[string]apitest.User{
			apitest.AdminToken: {Name: testenv.AdminUser, UID: "1", Groups: []string{"system:masters", "system:authenticated"}},
			plain:              {Name: testenv.PlainUser, UID: "2", Groups: []string{"system:authenticated"}},
		},
	})
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, s.Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	plainConfig := s.RESTConfig()
	plainConfig.BearerToken = plain
	return &server{config: s.RESTConfig(), plain: plainConfig, kubeconfig: kubeconfig}
}

func buildKubectl(t *testing.T) string {
	t.Helper()
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-5*time.Second)) // to say so before go test kills
		defer cancel()
	}
	program, err := testenv.Kubectl(ctx, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// run runs those scripts first that want to be alone on the server, then the others, side by side.
func run(t *testing.T, program string, s *server, into *transcripts, update bool) {
	for _, dir := range []string{"testdata/alone", "testdata"} {
		t.Run(filepath.Base(dir), func(t *testing.T) { runDir(t, dir, program, s, into, update) })
	}
}

func runDir(t *testing.T, dir, program string, s *server, into *transcripts, update bool) {
	testscript.Run(t, testscript.Params{
		Dir:                dir,
		Cmds:               commands,
		UpdateScripts:      update,
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			name := filepath.Base(env.WorkDir)
			name = strings.TrimPrefix(name, "script-")
			return setUp(env, name, program, s, into.of(name))
		},
	})
}

// compare says where kubectl was made to say different things. A script that failed has a transcript that is too short, and
// has been reported.
func compare(t *testing.T, real, ours *transcripts) {
	for _, name := range slices.Sorted(maps.Keys(real.all)) {
		r, o := real.of(name), ours.of(name)
		if r.String() == o.String() {
			continue
		}
		t.Errorf("%s", diff.Diff(name+" on kube-apiserver", []byte(r.String()), name+" on apitest", []byte(o.String())))
	}
}

// transcripts are what was typed and printed, by script.
type transcripts struct {
	mu  sync.Mutex
	all map[string]*strings.Builder
}

func (t *transcripts) of(name string) *strings.Builder {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = map[string]*strings.Builder{}
	}
	if t.all[name] == nil {
		t.all[name] = &strings.Builder{}
	}
	return t.all[name]
}
