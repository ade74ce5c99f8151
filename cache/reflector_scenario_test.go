package cache

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/gentype"
	"vedette.dev/internal/listwatch"
	"vedette.dev/rest"
)

var update = flag.Bool("update", false, "write what was heard into the scenario files")

// TestScenarios plays each file of testdata/reflector. In a file, what the server does and what the reflector does about it
// take turns:
//
//	-- server --           each line is done when nothing else happens any more
//	list 10 a@1 b@2        answer the list that was asked for; also: list 10 a@1 continue=next, list error 410
//	watch                  accept the watch; also: watch error 429 after=3, watch error refused
//	added a@5              send an event: added, modified, deleted; bookmark 10 (end), error 410, broken a@5
//	close                  end the watch; also: cut
//	advance 30s            let time pass
//	away 30s               let time pass while the server does not listen
//	state                  look at the state of the reflector
//	stop                   end the reflector
//	-- heard --
//	0s     stream version=""           a request
//	1.5s   replace 10: a@1 b@2         a call of the store
//
// A first line that says "only: raw" is for what plain functions cannot do, "only: functions" for the contrary.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/reflector/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		mustNot(t, err)
		comment, acts := parseScenario(t, string(data))
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		ways := []string{"raw", "functions"}
		if first, _, _ := strings.Cut(comment, "\n"); strings.HasPrefix(first, "only: ") {
			only := strings.TrimPrefix(first, "only: ")
			if !slices.Contains(ways, only) {
				t.Fatalf("%s: %q is none of %v", file, first, ways)
			}
			ways = []string{only}
		}
		for _, way := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { play(t, way, acts) })
				if *update && !t.Failed() {
					mustNot(t, os.WriteFile(file, []byte(formatScenario(comment, acts)), 0o644))
				}
			})
		}
	}
}

// act is what the server does, and what is heard of it.
type act struct {
	server []string
	heard  string
}

// parseScenario reads a txtar archive whose files are called server and heard in turn.
func parseScenario(t *testing.T, text string) (comment string, acts []*act) {
	var into func(line string)
	into = func(line string) { comment += line }
	for line := range strings.Lines(text) {
		switch strings.TrimSpace(line) {
		case "-- server --":
			a := &act{}
			acts = append(acts, a)
			into = func(line string) { a.server = append(a.server, line) }
		case "-- heard --":
			if len(acts) == 0 {
				t.Fatal("nothing can be heard before the server does something")
			}
			a := acts[len(acts)-1]
			into = func(line string) { a.heard += line }
		default:
			into(line)
		}
	}
	return comment, acts
}

func formatScenario(comment string, acts []*act) string {
	var b strings.Builder
	b.WriteString(comment)
	for _, a := range acts {
		fmt.Fprintf(&b, "-- server --\n%s-- heard --\n%s", strings.Join(a.server, ""), a.heard)
	}
	return b.String()
}

func play(t *testing.T, way string, acts []*act) {
	s := newScript(t)
	r := NewReflectorWithOptions(s.listWatch(way), &corev1.Pod{}, s.store, ReflectorOptions{Name: "scenario", ResyncPeriod: s.resync(acts)})
	r.core.Random = func() float64 { return 0 }
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		r.RunWithContext(ctx)
		s.hear("stopped")
	})
	defer running.Wait()
	defer cancel()
	synctest.Wait()
	for _, a := range acts {
		for _, line := range a.server {
			words := strings.Fields(line)
			switch {
			case len(words) == 0 || words[0] == "#" || words[0] == "resync":
			case words[0] == "stop":
				cancel()
			case words[0] == "state":
				s.hear("%s", describeState(r.State()))
			default:
				if err := s.do(words); err != nil {
					t.Fatalf("%s: %v; heard before:\n%s", strings.TrimSpace(line), err, s.said())
				}
			}
			synctest.Wait()
		}
		got := s.said()
		if *update {
			a.heard = got
		} else if got != a.heard {
			t.Fatalf("after\n%sheard\n%swant\n%s", strings.Join(a.server, ""), got, a.heard)
		}
	}
}

func describeState(s State) string {
	text := fmt.Sprintf("state: %s at %q", s.Phase, s.ResourceVersion)
	if s.Synced {
		text += ", synced"
	}
	if !s.Until.IsZero() {
		text += fmt.Sprintf(", for %v", s.Until.Sub(s.Since))
	}
	if s.Cause != nil {
		text += fmt.Sprintf(", failing for %v (%s)", time.Since(s.Failing), listwatch.KindOfFailure(s.Cause))
	}
	if s.Undecodable > 0 {
		text += fmt.Sprintf(", could not read %d, the last was %q", s.Undecodable, s.LastUndecodable.Key)
	}
	return text
}

// podKind is the Requester of all scenarios.
func (s *script) podKind() Requester {
	client, err := rest.RESTClientFor(&rest.Config{
		Host: "http://scripted", APIPath: "/api", Transport: s, QPS: -1,
		ContentConfig: rest.ContentConfig{GroupVersion: &corev1.SchemeGroupVersion, NegotiatedSerializer: podCodecs},
	})
	mustNot(s.t, err)
	return gentype.NewJSON[corev1.Pod, corev1.PodList](client, "pods", "")
}

func (s *script) listWatch(way string) *ListWatch {
	pods := s.podKind()
	if way == "raw" {
		return NewListWatchFromRequester(pods, nil, nil)
	}
	return &ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return pods.ListRequest(options).MaxRetries(0).Do(ctx).Get()
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return pods.WatchRequest(options).MaxRetries(0).Watch(ctx)
		},
	}
}

var errNotAsked = errors.New("nothing like it was asked for")
