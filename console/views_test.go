//go:build !vedette_noconsole

package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/workqueue"
)

func TestEveryView(t *testing.T) {
	withProgram(t, nil, func(t *testing.T, p *program) {
		time.Sleep(time.Second)
		text := want(t, p.Page, "", "core/v1.ConfigMap", "core/v1.Secret", "All is well", "2 informers, 1 controller", "watching", "copier", "Reconciles")
		if strings.Contains(text, "is-failing\" data-stage") {
			t.Error("something fails")
		}
		want(t, p.Page, "charts", "chart-events", "chart-took", "heap objects")
		want(t, p.Page, "informer?name=core/v1.ConfigMap", "controller, for v1.ConfigMap", "resource version", "copier")
		want(t, p.Page, "queues", "copier", "running", "In progress", "Waiting until")
		want(t, p.Page, "queues?name=copier", "copier")
		want(t, p.Page, "explain", "copier")
		if code, text := get(t, p.Page, "explain?controller=nobody&key=a/b"); code != 404 || !strings.Contains(text, "known are copier") {
			t.Errorf("status %d: %s", code, text)
		}
		if code, text := get(t, p.Page, "explain?key=a/b/c/d"); code != 400 || !strings.Contains(text, "a/b/c/d") {
			t.Errorf("status %d: %s", code, text)
		}
		want(t, p.Page, "explain?key=shop/map-1", "done", "for v1.ConfigMap", "initial list")
		want(t, p.Page, "explain?key=shop/nobody", "unknown")
		var explanations []controller.Explanation
		if err := json.Unmarshal([]byte(want(t, p.Page, "explain?key=shop/map-1&format=json")), &explanations); err != nil || explanations[0].Stage != controller.StageDone {
			t.Errorf("%+v, %v", explanations, err)
		}
		var pipeline struct {
			Lanes []struct{ Name, Level string }
		}
		if err := json.Unmarshal([]byte(want(t, p.Page, "?format=json")), &pipeline); err != nil || len(pipeline.Lanes) != 2 || pipeline.Lanes[0].Level == "failing" {
			t.Errorf("%+v, %v", pipeline, err)
		}
		want(t, p.Page, "queues?format=json", `"name": "copier"`)
		want(t, p.Page, "storage", "core/v1.ConfigMap", "not enough known", "it has run for")
		want(t, p.Page, "storage?format=json", `"informer": "core/v1.ConfigMap"`, `"storage": "not enough known"`)
		want(t, p.Page, "informer?name=core/v1.ConfigMap", "all kinds", "object as received")
		for name, v := range views() {
			if name != "missing" && name != "informer" && name != "object" {
				if code, _ := get(t, p.Page, name); code != 200 {
					t.Errorf("%s: status %d", v.title, code)
				}
			}
		}
	})
}

func TestFindObjects(t *testing.T) {
	withProgram(t, nil, func(t *testing.T, p *program) {
		find := func(query string) []string {
			var keys []string
			for _, part := range strings.Split(want(t, p.Page, "objects?informer=core/v1.ConfigMap&"+query), `&amp;key=`)[1:] {
				key, _, _ := strings.Cut(part, `"`)
				plain, _ := url.QueryUnescape(key)
				keys = append(keys, strings.TrimPrefix(plain, "shop/map-"))
			}
			return keys
		}
		for query, keys := range map[string]string{
			"":                            "0 1 2 3 4",
			"key=shop/map-2":              "2",
			"key=map-3":                   "3",
			"key=nothing":                 "",
			"label=odd%3D1":               "1 3",
			"label=odd%3D1&key=map-1":     "1",
			"index=namespace&value=shop":  "0 1 2 3 4",
			"index=namespace&value=other": "",
			"sort=largest":                "4 3 2 1 0",
			"sort=largest&label=odd%3D0":  "4 2 0",
			"sort=changed":                "",
		} {
			if got := strings.Join(find(query), " "); got != keys {
				t.Errorf("%q finds %q, want %q", query, got, keys)
			}
		}
		if code, text := get(t, p.Page, "objects?informer=core/v1.ConfigMap&label=%3D%3D%3D"); code != 400 || !strings.Contains(text, "label") {
			t.Errorf("status %d: %s", code, text)
		}
		if code, _ := get(t, p.Page, "objects?informer=core/v1.ConfigMap&index=nonsense&value=x"); code != 404 {
			t.Errorf("an index that there is not: status %d", code)
		}
	})
}

func TestTheMostChanged(t *testing.T) {
	withProgram(t, nil, func(t *testing.T, p *program) {
		const view = "objects?informer=core/v1.ConfigMap&sort=changed"
		want(t, p.Page, view, "1 look ")
		for i := range 6 {
			name := "map-1"
			if i == 3 {
				name = "map-2"
			}
			m, err := p.client.CoreV1().ConfigMaps("shop").Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			m.Data = map[string]string{"now": time.Now().String()}
			if _, err := p.client.CoreV1().ConfigMaps("shop").Update(t.Context(), m, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			want(t, p.Page, view)
		}
		text := want(t, p.Page, view, `<td class="n">5</td>`, `<td class="n">1</td>`)
		first, second := strings.Index(text, "map-1"), strings.Index(text, "map-2")
		if first < 0 || second < first || strings.Contains(text, "map-3") {
			t.Error("map-1 changed most, map-2 once and map-3 not at all")
		}
		p.changes.clear()
		want(t, p.Page, view, "1 look ")
	})
}

func TestSecretsAreNotShown(t *testing.T) {
	withProgram(t, nil, func(t *testing.T, p *program) {
		err := p.factory.Core().V1().Secrets().Informer().AddIndexers(cache.Indexers{
			"password": func(obj any) ([]string, error) { return []string{string(obj.(*corev1.Secret).Data["password"])}, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		object := "object?informer=core/v1.Secret&key=shop/db"
		for _, view := range []string{object, object + "&as=json", object + "&managed=1", "objects?informer=core/v1.Secret", "objects?informer=core/v1.Secret&index=password", "objects?informer=core/v1.Secret&sort=largest", "", "informer?name=core/v1.Secret"} {
			text := want(t, p.Page, view)
			for _, secret := range []string{password, "Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s: the secret is shown:\n%s", view, text)
				}
			}
		}
		want(t, p.Page, object, "password: ‹hidden›", "2 values are hidden")
		// One cannot find out by asking, either.
		if code, _ := get(t, p.Page, "objects?informer=core/v1.Secret&index=password&value="+password); code != 404 {
			t.Errorf("asking an index of secrets for a value: status %d", code)
		}
		want(t, p.Page, "object?informer=core/v1.ConfigMap&key=shop/map-4", "xxxx", "controller copier", "As cached")
		if code, text := get(t, p.Page, "object?informer=core/v1.ConfigMap&key=shop/gone"); code != 404 || !strings.Contains(text, "no object") {
			t.Errorf("status %d: %s", code, text)
		}
	})
}

// What an object says to hide, and what Config.Redact takes out, is in no view and in no stream, and cannot be found out by asking
// for it either.
func TestWhatIsRedactedIsNowhereOnThePage(t *testing.T) {
	const hush, shown = "hush-1234", "in-the-open"
	for name, redact := range map[string]func(map[string]any){
		"annotation": nil,
		"Redact": func(object map[string]any) {
			meta, _ := object["metadata"].(map[string]any)
			for _, field := range []any{meta["labels"], meta["annotations"], object["data"]} {
				if values, ok := field.(map[string]any); ok {
					delete(values, "pin")
				}
			}
			delete(meta, "managedFields")
			meta["generateName"] = ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			withProgram(t, nil, func(t *testing.T, p *program) {
				err := p.factory.Core().V1().ConfigMaps().Informer().AddIndexers(cache.Indexers{
					"pin": func(obj any) ([]string, error) { return []string{obj.(*corev1.ConfigMap).Labels["pin"]}, nil },
				})
				if err != nil {
					t.Fatal(err)
				}
				p.Page = Handler(Config{
					Informers: []Informers{Factory("", p.factory)}, Controllers: []Controller{p.controller}, Redact: redact,
				})
				stream := watch(p.Page, "objects?informer=core/v1.ConfigMap&sort=changed&stream=1")
				time.Sleep(2 * time.Second)
				hushed := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
					Name: "hushed", GenerateName: hush, Labels: map[string]string{"pin": hush, "open": shown}, Annotations: map[string]string{"pin": hush},
				}, Data: map[string]string{"pin": hush}}
				if redact == nil {
					hushed.Annotations[hideAnnotation] = "metadata.labels.pin, metadata.annotations.pin, metadata.generateName, data.pin, metadata.managedFields"
				}
				_, err = p.client.CoreV1().ConfigMaps("shop").Create(t.Context(), hushed, metav1.CreateOptions{FieldManager: hush})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Second)
				const object, objects = "object?informer=core/v1.ConfigMap&key=shop/hushed", "objects?informer=core/v1.ConfigMap"
				for _, view := range []string{
					object, object + "&as=json", object + "&managed=1", object + "&as=json&managed=1", "", "?format=json", "charts",
					objects, objects + "&sort=largest", objects + "&sort=changed", objects + "&index=namespace", "informer?name=core/v1.ConfigMap",
					"explain?key=shop/hushed", "explain?key=shop/hushed&format=json", "queues", "queues?format=json",
				} {
					if text := want(t, p.Page, view); strings.Contains(text, hush) {
						i := strings.Index(text, hush)
						t.Errorf("%s shows what is hidden: …%s…", view, text[max(0, i-80):i+len(hush)])
					}
				}
				stream.leave()
				<-stream.done
				if text := stream.read(); strings.Contains(text, hush) || !strings.Contains(text, "shop/hushed") {
					t.Errorf("the stream shows what is hidden, or not the object:\n%s", text)
				}
				want(t, p.Page, object, "<code>open="+shown+"</code>")
				if _, text := get(t, p.Page, objects+"&index=pin"); strings.Contains(text, hush) {
					t.Error("an index shows what is hidden")
				}
				finds := func(query string) bool {
					_, text := get(t, p.Page, objects+"&"+query)
					return strings.Contains(text, "key=shop%2fhushed")
				}
				for query, found := range map[string]bool{
					"label=open%3D" + shown: true,
					"label=pin%3D" + hush:   false, "label=pin%3Dother": false,
					"label=pin!%3D" + hush: true, "label=pin!%3Dother": true,
					"label=pin+in+(" + hush + ")": false, "label=pin+notin+(" + hush + ")": true,
					"index=pin&value=" + hush: false, "index=pin&value=other": false,
					"index=namespace&value=shop": true,
				} {
					if got := finds(query); got != found {
						t.Errorf("%s finds it: %t, want %t", query, got, found)
					}
				}
			})
		})
	}
}

// The two ways to read metadata agree.
func TestMetadata(t *testing.T) {
	at := metav1.NewTime(time.Unix(1_700_000_000, 0))
	later := metav1.NewTime(at.Add(time.Minute))
	for name, meta := range map[string]metav1.ObjectMeta{
		"empty": {},
		"full": {ResourceVersion: "7", UID: "u", CreationTimestamp: at, Generation: 3, Labels: map[string]string{"a": "b", "c": ""}, ManagedFields: []metav1.ManagedFieldsEntry{
			{Manager: "first", Time: &at}, {Manager: "last", Time: &later}, {Manager: "timeless"}, {Manager: "early", Time: &at},
		}},
	} {
		object := &corev1.ConfigMap{ObjectMeta: meta}
		fields, err := fieldsOf(object)
		if err != nil {
			t.Fatal(err)
		}
		plain, redacted := metadataOf(object), metadataIn(fields)
		if !plain.Created.Equal(redacted.Created) || !plain.Changed.Equal(redacted.Changed) || !maps.Equal(plain.Labels, redacted.Labels) ||
			plain.Manager != redacted.Manager || plain.Version != redacted.Version || plain.UID != redacted.UID || plain.Generation != redacted.Generation {
			t.Errorf("%s: %+v, redacted %+v", name, plain, redacted)
		}
	}
	if got := metadataIn(map[string]any{"metadata": "hidden"}); got.Labels != nil || got.Version != "" {
		t.Errorf("of something else: %+v", got)
	}
	if got := metadataIn(map[string]any{"metadata": map[string]any{"labels": "x", "generation": "x", "managedFields": []any{"x"}, "creationTimestamp": 3}}); got.Labels != nil || got.Generation != 0 {
		t.Errorf("of other types: %+v", got)
	}
}

func TestQueuesOldestFirst(t *testing.T) {
	withProgram(t, func(ctx context.Context, name cache.ObjectName) (controller.Result, error) {
		if name.Name == "map-0" {
			return controller.Result{}, errors.New("it <cannot> be")
		}
		<-ctx.Done()
		return controller.Result{}, nil
	}, func(t *testing.T, p *program) {
		time.Sleep(20 * time.Second)
		p.controller.Add(cache.ObjectName{Namespace: "shop", Name: "late"})
		time.Sleep(time.Second)
		text := want(t, p.Page, "queues", "In progress <b>2</b>", "all workers are busy (2)", "slow", "explain?controller=copier&amp;key=shop%2fmap-")
		queued := text[strings.Index(text, ">Queued"):strings.Index(text, ">Waiting until")]
		if strings.Index(queued, "late") < strings.Index(queued, "map-") {
			t.Error("what came last is not the last")
		}
		p.wantWorkers(t, text)
		want(t, p.Page, "", "Workers slow", "Work queue slow", "keys wait for a worker")
		want(t, p.Page, "?only=problem", "Show all")
		var stuck string
		for _, b := range p.controller.State().Busy {
			stuck = b.Key
		}
		want(t, p.Page, "explain?key="+url.QueryEscape(stuck), "being worked on", `aria-current="step"`, "▲")
	})
}

// wantWorkers checks that the view of the queues, as a page and as JSON, says which worker has each key, and since when.
func (p *program) wantWorkers(t *testing.T, page string) {
	t.Helper()
	var got struct {
		Queues []struct {
			Processing []struct {
				Key             string
				Worker          int
				ProcessingSince time.Time
			}
		}
	}
	if err := json.Unmarshal([]byte(want(t, p.Page, "queues?format=json", `"worker": 1`)), &got); err != nil {
		t.Fatal(err)
	}
	var workers []int
	for i, b := range p.controller.State().Busy {
		workers = append(workers, b.Worker)
		if in := got.Queues[0].Processing[i]; in.Key != b.Key || in.Worker != b.Worker || !in.ProcessingSince.Equal(b.Since) {
			t.Errorf("in hand is %+v, want %+v", in, b)
		}
		row := page[strings.Index(page, ">"+b.Key+"<"):]
		if cells := fmt.Sprintf(`data-worker="%d">%[1]d</td><td class="n">%s</td>`, b.Worker, b.Since.Format("15:04:05.000")); !strings.Contains(row[:strings.Index(row, "</tr>")], cells) {
			t.Errorf("there is no %s in the row of %s:\n%s", cells, b.Key, row)
		}
	}
	if slices.Sort(workers); !slices.Equal(workers, []int{1, 2}) {
		t.Errorf("the workers are %v", workers)
	}
}

// What the queue said of a key goes with what the controller says of its worker, also if the key was elsewhere when the queue was asked.
func TestBusyKeys(t *testing.T) {
	now := time.Now()
	item := func(key string, retries int) []workqueue.Item[string] {
		return []workqueue.Item[string]{{Key: key, Retries: retries, Tenant: "t-" + key}}
	}
	busy := []controller.Busy{{Key: "a", Since: now, Worker: 2}, {Key: "b", Since: now, Worker: 1}, {Key: "c", Since: now}, {Key: "d", Since: now, Worker: 4}}
	got := busyKeys(busy, workqueue.Snapshot[string]{Processing: item("a", 3), Waiting: item("b", 5), Queued: item("x", 9)}, 3)
	if want := []queueKey{
		{Key: "a", ProcessingSince: now, Worker: 2, Retries: 3, Tenant: "t-a"},
		{Key: "b", ProcessingSince: now, Worker: 1, Retries: 5, Tenant: "t-b"},
		{Key: "c", ProcessingSince: now},
	}; !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}
