package metrics

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/shard"
	"vedette.dev/shardgroup"
)

// everything has all metrics shown until the test ends.
func everything(t *testing.T, m *Metrics) {
	t.Helper()
	server, config := newServer(t, apitest.Config{})
	ctx, cancel := context.WithCancel(background)
	config.Metrics, config.QPS, config.Burst = m.REST(), 1000, 1000
	requests(t, server, config)
	factory := newFactory(t, config)
	if _, err := Factory(m, "cluster-1", factory); err != nil {
		t.Fatal(err)
	}
	handle, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{})
	if err != nil {
		t.Fatal(err)
	}
	factory.StartWithContext(ctx)
	t.Cleanup(factory.Shutdown)
	t.Cleanup(cancel)
	cache.WaitFor(ctx, "", handle.HasSyncedChecker())
	packed, err := informers.New(informers.Config{Client: kubernetes.NewForConfigOrDie(config), Informers: cache.SharedIndexInformerOptions{Storage: cache.Storage{Packed: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Factory(m, "cluster-3", packed); err != nil {
		t.Fatal(err)
	}
	pods := packed.Core().V1().Pods()
	pods.Informer()
	packed.StartWithContext(ctx)
	t.Cleanup(packed.Shutdown)
	t.Cleanup(cancel)
	cache.WaitFor(ctx, "", pods.Informer().HasSyncedChecker())
	runSharded(t, m, "cluster-2", config, shard.Hash(shard.ByUID(), 2))

	queue := newQueue(m, "pods")
	t.Cleanup(queue.ShutDown)
	queue.AddRateLimited("a")
	queue.Add("b")
	key, _ := queue.Get()
	queue.Done(key)
	c := m.Reconcile().NewControllerMetrics("pods", 1)
	c.Began()
	c.Ended(controller.OutcomePanic, 0)
	leader := m.LeaderElection().NewLeaderMetric()
	leader.On("lease")
	leader.SlowpathExercised("lease")
	if _, err := m.Group(&fakeGroup{shardgroup.State{Group: "ops/pods"}}); err != nil {
		t.Fatal(err)
	}
	name, err := cache.NewInformerName("pods")
	if err != nil {
		t.Fatal(err)
	}
	id := name.WithResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"})
	m.InformerNames().NewQueuedItemMetric(id).Set(1)
	m.InformerNames().NewProcessingLatencyMetric(id).Observe(1)
	m.InformerNames().NewStoreResourceVersionMetric(id).Set(1)
}

func TestThePageIsCleanToTheLinter(t *testing.T) {
	m, registry := mustNew(t)
	everything(t, m)
	text := page(t, registry)
	lint(t, text)
	for _, name := range []string{"vedette_informer_objects{", "vedette_informer_shard_objects{", "workqueue_depth{", "rest_client_requests_total{", "leader_election_master_status{"} {
		if !strings.Contains(text, "\n"+name) {
			t.Errorf("the page has no %s", name)
		}
	}
}

// described are the names that New registers, whether or not they have series.
func described(m *Metrics) map[string]bool {
	ch := make(chan *prometheus.Desc)
	go func() {
		m.all.Describe(ch)
		close(ch)
	}()
	name := regexp.MustCompile(`fqName: "([^"]+)"`)
	names := map[string]bool{}
	for desc := range ch {
		names[name.FindStringSubmatch(desc.String())[1]] = true
	}
	return names
}

func TestEverythingThatIsRegisteredIsShown(t *testing.T) {
	m, registry := mustNew(t)
	everything(t, m)
	var want []string
	for name := range described(m) {
		want = append(want, name)
	}
	sort.Strings(want)
	if got := gather(t, registry).families(); !slices.Equal(got, want) {
		t.Errorf("shown are\n%v\nwant\n%v", got, want)
	}
}

// docs/metrics.md says of each metric its type and its labels, and of none that there is not.
func TestTheDocumentIsTrue(t *testing.T) {
	m, registry := mustNew(t)
	everything(t, m)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	for _, f := range families {
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		sort.Strings(labels)
		shown[f.GetName()] = strings.ToLower(f.GetType().String()) + " " + strings.Join(labels, " ")
	}
	text, err := os.ReadFile("../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (\\w+) \\| ([^|]+) \\| [^|]+ \\|$")
	written := map[string]string{}
	for _, found := range line.FindAllStringSubmatch(string(text), -1) {
		labels := strings.Fields(strings.ReplaceAll(found[3], "`", ""))
		sort.Strings(labels)
		if written[found[1]] != "" {
			t.Errorf("%s is in the document twice", found[1])
		}
		written[found[1]] = found[2] + " " + strings.Join(labels, " ")
	}
	for name, is := range shown {
		if written[name] != is {
			t.Errorf("%s is %q; the document says %q", name, is, written[name])
		}
	}
	for name := range written {
		if shown[name] == "" {
			t.Errorf("the document has %s, which is not shown", name)
		}
	}
}

// dashboard is what is read of the dashboard.
type dashboard struct {
	Title         string
	SchemaVersion int
	Templating    struct {
		List []struct {
			Name, Type, Definition string
		}
	}
	Panels []struct {
		ID          int
		Type, Title string
		GridPos     struct{ H, W, X, Y int }
		Datasource  struct{ UID string }
		Targets     []struct{ Expr string }
	}
}

func TestTheDashboardAsksForWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("../docs/grafana/vedette.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.Title != "Vedette" || d.SchemaVersion < 39 {
		t.Errorf("%q of version %d", d.Title, d.SchemaVersion)
	}
	variables := map[string]bool{"__rate_interval": true}
	var queries []string
	for _, v := range d.Templating.List {
		variables[v.Name] = true
		queries = append(queries, v.Definition)
	}
	ids, rows := map[int]bool{}, []string{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("panel %q has the number of another", p.Title)
		}
		ids[p.ID] = true
		if p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %q is too wide", p.Title)
		}
		if p.Type == "row" {
			rows = append(rows, p.Title)
			continue
		}
		if p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("panel %q asks %q for %v", p.Title, p.Datasource.UID, p.Targets)
		}
		for _, target := range p.Targets {
			queries = append(queries, target.Expr)
		}
	}
	if want := []string{"Informers", "Shards", "Handlers", "Work queues", "Reconciles", "API requests", "Leader election", "Replicas that share the work"}; !slices.Equal(rows, want) {
		t.Errorf("rows %q, want %q", rows, want)
	}
	m, _ := mustNew(t)
	checkQueries(t, queries, described(m), variables)
}

var (
	quoted   = regexp.MustCompile(`"[^"]*"`)
	grouping = regexp.MustCompile(`\b(by|without) \([^)]*\)`)
	variable = regexp.MustCompile(`\$\{?(\w+)\}?`)
	selector = regexp.MustCompile(`\{[^}]*\}`)
	word     = regexp.MustCompile(`[a-z_]{4,}`)
)

// checkQueries finds names in queries that no metric has, and metrics that no query asks for.
func checkQueries(t *testing.T, queries []string, known, variables map[string]bool) {
	t.Helper()
	language := []string{"rate", "increase", "bool", "count", "vector", "histogram_quantile", "label_values"}
	asked := map[string]bool{}
	for _, query := range queries {
		for _, v := range variable.FindAllStringSubmatch(query, -1) {
			if !variables[v[1]] {
				t.Errorf("%s: there is no variable %s", query, v[1])
			}
		}
		bare := quoted.ReplaceAllString(query, "")
		bare = selector.ReplaceAllString(grouping.ReplaceAllString(variable.ReplaceAllString(bare, ""), ""), "")
		if strings.HasPrefix(bare, "label_values") {
			bare, _, _ = strings.Cut(bare, ",")
		}
		for _, name := range word.FindAllString(bare, -1) {
			if slices.Contains(language, name) {
				continue
			}
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				name = strings.TrimSuffix(name, part)
			}
			if !known[name] {
				t.Errorf("%s: there is no metric %s", query, name)
			}
			asked[name] = true
		}
	}
	for name := range known {
		if !asked[name] && !strings.HasPrefix(name, "informer_") { // the dashboard has what says more
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}
