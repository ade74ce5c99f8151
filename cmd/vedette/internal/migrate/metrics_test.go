package migrate

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestForwardMetrics has metrics of queues and electors that are registered by an import, in a main package, in another, and in a test.
func TestForwardMetrics(t *testing.T) {
	dir, want := world(t)
	const base = "k8s.io/component-base/metrics/prometheus/"
	write(t, filepath.Join(program(dir), "queue/queue.go"), "package queue\n\nimport _ \""+base+"workqueue\"\n")
	write(t, filepath.Join(program(dir), "queue/queue_test.go"), "package queue\n\nimport _ \""+base+"workqueue\"\n")
	mainFile := filepath.Join(program(dir), "main.go")
	write(t, mainFile, strings.Replace(read(t, mainFile), "\t\"k8s.io/client-go/util/homedir\"\n",
		"\t\"k8s.io/client-go/util/homedir\"\n\t_ \""+base+"clientgo/leaderelection\"\n\t_ \""+base+"workqueue\"\n", 1))
	modFile := filepath.Join(program(dir), "go.mod")
	write(t, modFile, read(t, modFile)+"\nrequire k8s.io/component-base v0.0.0\n\nreplace k8s.io/component-base => ../component-base\n")
	write(t, filepath.Join(dir, "component-base/go.mod"), "module k8s.io/component-base\n\ngo 1.26\n")
	for _, name := range []string{"workqueue", "clientgo/leaderelection"} {
		write(t, filepath.Join(dir, "component-base/metrics/prometheus", name, "metrics.go"), "package metrics\n")
	}
	commit(t, dir)
	report, err := Apply(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	if !report.Builds || len(report.Forwarded) != 2 {
		t.Errorf("the report is %+v", report)
	}
	begin := "\nfunc main() {\n"
	wanted := strings.Replace(want["main.go"], begin, begin+"\tbridge.ForwardMetrics() // metrics of queues and electors are registered with client-go\n\n", 1)
	wanted = strings.Replace(wanted, "\t\"vedette.dev/cache\"\n", "\t_ \""+base+"clientgo/leaderelection\"\n\t_ \""+base+"workqueue\"\n\t\"vedette.dev/cache\"\n", 1)
	if got := read(t, mainFile); got != wanted {
		t.Errorf("main.go is\n%s\nwant\n%s", got, wanted)
	}
	if got := read(t, filepath.Join(program(dir), "queue/queue.go")); !strings.Contains(got, "\nfunc init() { bridge.ForwardMetrics() }\n") {
		t.Errorf("queue.go is\n%s", got)
	}
	if got := read(t, filepath.Join(program(dir), "queue/queue_test.go")); strings.Contains(got, "bridge") {
		t.Errorf("queue_test.go is\n%s", got)
	}
	for _, item := range report.ByHand {
		if strings.Contains(item.Text, "prometheus") && !strings.HasPrefix(item.File, "queue/queue_test.go") {
			t.Errorf("to do by hand: %s: %s", item, item.Text)
		}
	}
}
