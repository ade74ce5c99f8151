package clusterdiff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// cluster is a cluster with a Deployment's ReplicaSet, two pods and a service; ids make everything that is random.
const cluster = `
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata: {namespace: work, name: web-7d9c, uid: $1, resourceVersion: "$r1", generation: $r, creationTimestamp: "2026-01-01T00:00:$r2Z"}
  status: {observedGeneration: $r, conditions: $conditions}
- apiVersion: v1
  kind: Pod
  metadata:
    {namespace: work, name: web-7d9c-$a, generateName: web-7d9c-, uid: $2, resourceVersion: "$r2",
      ownerReferences: [{kind: ReplicaSet, name: web-7d9c, uid: $1}],
      managedFields: [{manager: kcm, time: "2026-01-01T00:00:$r1Z", fieldsV1: {'k:{"uid":"$1"}': {}, 'k:{"ip":"10.1.0.$ra"}': {}}}]}
  status: {podIP: 10.1.0.$ra, phase: Running}
- apiVersion: v1
  kind: Pod
  metadata:
    {namespace: work, name: web-7d9c-$b, generateName: web-7d9c-, uid: $3, resourceVersion: "$r3",
      ownerReferences: [{kind: ReplicaSet, name: web-7d9c, uid: $1}]}
  status: {podIP: 10.1.0.$rb, phase: Failed, message: "no such image: web-7d9c-$b"}
- apiVersion: v1
  kind: Service
  metadata: {namespace: work, name: web, uid: $4}
  spec: {clusterIP: 10.0.0.$r1}
- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: {namespace: work, name: web-$c, generateName: web-, uid: $5, generation: $r2, ownerReferences: [{uid: $4}]}
  endpoints: $endpoints
- apiVersion: networking.k8s.io/v1
  kind: IPAddress
  metadata: {name: 10.0.0.$r1, uid: $6}
  spec: {parentRef: {name: web}}
`

type random struct {
	uid, version int
	a, b, c      string
	reversed     bool
}

func (r random) objects(t *testing.T, changes ...string) []Object {
	t.Helper()
	conditions := []string{"{type: A, lastTransitionTime: '2026-01-01T00:00:01Z'}", "{type: B}"}
	endpoints := []string{"{addresses: [10.1.0.$ra], targetRef: {name: web-7d9c-$a, uid: $2}}", "{addresses: [10.1.0.$rb], targetRef: {name: web-7d9c-$b, uid: $3}}"}
	if r.reversed {
		slices.Reverse(conditions)
		slices.Reverse(endpoints)
	}
	pairs := []string{"$conditions", "[" + strings.Join(conditions, ", ") + "]", "$endpoints", "[" + strings.Join(endpoints, ", ") + "]"}
	text := strings.NewReplacer(pairs...).Replace(strings.NewReplacer(changes...).Replace(cluster))
	ids := []string{"$ra", fmt.Sprint(r.version + 4), "$rb", fmt.Sprint(r.version + 5), "$r1", fmt.Sprint(r.version + 1), "$r2", fmt.Sprint(r.version + 2), "$r3",
		fmt.Sprint(r.version + 3), "$r", fmt.Sprint(r.version), "$a", r.a, "$b", r.b, "$c", r.c}
	for i := 1; i < 10; i++ {
		ids = append(ids, fmt.Sprintf("$%d", i), fmt.Sprintf("%08x-0000-4000-8000-%012x", r.uid, i))
	}
	var out []Object
	if err := yaml.Unmarshal([]byte(strings.NewReplacer(ids...).Replace(text)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	stock   = random{uid: 1, version: 10, a: "bbbbb", b: "ccccc", c: "ddddd"}
	patched = random{uid: 2, version: 40, a: "zzzzz", b: "ccccd", c: "fffff", reversed: true}
)

func TestRandomThingsMayDiffer(t *testing.T) {
	result := Compare(stock.objects(t), patched.objects(t), "stock", "patched")
	for _, d := range result.Differences {
		t.Errorf("%s: %q", d.Object, d.Lines)
	}
	if got := fmt.Sprint(result.Compared); got != "map[EndpointSlice.discovery.k8s.io:1 IPAddress.networking.k8s.io:1 Pod:2 ReplicaSet.apps:1 Service:1]" {
		t.Errorf("compared %s", got)
	}
}

func TestDifferences(t *testing.T) {
	for name, c := range map[string]struct {
		changes []string
		object  string
		line    string
	}{
		"a value": {
			[]string{"phase: Running", "phase: Pending"}, "Pod/work/web-7d9c-#1", `.status.phase: "Running", "Pending"`},
		"a value that is not there": {
			[]string{", phase: Running", ""}, "Pod/work/web-7d9c-#1", `.status.phase: "Running", null`},
		"an owner that is another object": {
			[]string{"name: web-7d9c, uid: $1}],\n      managedFields", "name: web-7d9c, uid: $4}],\n      managedFields"},
			"Pod/work/web-7d9c-#1", `.metadata.ownerReferences[0].uid: "uid(ReplicaSet.apps/work/web-7d9c)", "uid(Service/work/web)"`},
		"an owner that is gone": {
			[]string{"uid: $1}],\n      managedFields", "uid: $9}],\n      managedFields"},
			"Pod/work/web-7d9c-#1", `"<uid of an object that is gone>"`},
		"an endpoint too few": {
			[]string{"$endpoints", "[{addresses: [10.1.0.$ra], targetRef: {name: web-7d9c-$a, uid: $2}}]"}, "EndpointSlice.discovery.k8s.io/work/web-#1", ".endpoints: "},
		"an endpoint of the other pod": {
			[]string{"$endpoints", "[{addresses: [10.1.0.$rb], targetRef: {name: web-7d9c-$a, uid: $2}}, {addresses: [10.1.0.$rb], targetRef: {name: web-7d9c-$b, uid: $3}}]"},
			"EndpointSlice.discovery.k8s.io/work/web-#1", `.endpoints[`},
		"a generation that the controller has not seen": {
			[]string{"observedGeneration: $r,", "observedGeneration: 3,"}, "ReplicaSet.apps/work/web-7d9c", `.status.observedGeneration: "<generation>", 3`},
		"an object too many": {
			[]string{"- apiVersion: networking.k8s.io/v1", "- {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: work, uid: $9}}\n- apiVersion: networking.k8s.io/v1"},
			"ConfigMap/work/x", "only in patched"},
		"an address of no service": {
			[]string{"name: 10.0.0.$r1", "name: 10.0.0.99"}, "IPAddress.networking.k8s.io//10.0.0.99", "only in patched"},
		"a condition too many": {
			[]string{"$conditions", "[{type: A, lastTransitionTime: '2026-01-01T00:00:01Z'}, {type: B}, {type: C}]"}, "ReplicaSet.apps/work/web-7d9c", ".status.conditions: "},
	} {
		t.Run(name, func(t *testing.T) {
			result := Compare(stock.objects(t), patched.objects(t, c.changes...), "stock", "patched")
			for _, d := range result.Differences {
				if d.Object == c.object && strings.Contains(strings.Join(d.Lines, "\n"), c.line) {
					return
				}
			}
			t.Errorf("no difference of %s with %s in %v", c.object, c.line, result.Differences)
		})
	}
}

// A pod that could not be created has a name, which is in the message of its ReplicaSet.
func TestNameOfWhatWasNeverCreated(t *testing.T) {
	n := findNames([]Object{{"kind": "ReplicaSet", "metadata": map[string]any{"name": "web-7d9c", "uid": "u"}}})
	const want = `pods "web-7d9c-<random>" is forbidden: exceeded quota: few.`
	if got := n.text(`pods "web-7d9c-x2x4z" is forbidden: exceeded quota: few.`); got != want {
		t.Errorf("got %s", got)
	}
	if got := n.text("api-7d9c-x2x4z"); got != "api-7d9c-x2x4z" {
		t.Errorf("a name that no controller has made: %s", got)
	}
}

// The name of a pod of a StatefulSet is not random, although it has a prefix for random names.
func TestNamesThatAreNotRandom(t *testing.T) {
	pod := func(name string) []Object {
		return []Object{{"kind": "Pod", "metadata": map[string]any{"name": name, "generateName": "db-", "uid": "u"}}}
	}
	if d := Compare(pod("db-0"), pod("db-1"), "a", "b").Differences; len(d) != 2 {
		t.Errorf("%v", d)
	}
}

func TestTokensAreSecretAndCertificatesDiffer(t *testing.T) {
	secret := func(token, kind string) []Object {
		return []Object{{"kind": "Secret", "type": kind, "metadata": map[string]any{"name": "t", "uid": "u"}, "data": map[string]any{"token": token}}}
	}
	const ofAccount = "kubernetes.io/service-account-token"
	if d := Compare(secret("YQ==", ofAccount), secret("Yg==", ofAccount), "a", "b").Differences; len(d) != 0 {
		t.Errorf("%v", d)
	}
	if d := Compare(secret("YQ==", "Opaque"), secret("Yg==", "Opaque"), "a", "b").Differences; len(d) != 1 {
		t.Errorf("%v", d)
	}
	n := findNames(nil)
	if got := n.text("-----BEGIN CERTIFICATE-----\nMII"); got != "<certificate>" {
		t.Errorf("got %s", got)
	}
}

func TestEndpoints(t *testing.T) {
	endpoints := func(metadata, addresses string) []Object {
		var out []Object
		text := "[{kind: Endpoints, metadata: {name: web, uid: u" + metadata + "}, subsets: [{addresses: [" + addresses + "]}]}]"
		if err := yaml.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	const triggered = `, annotations: {endpoints.kubernetes.io/last-change-trigger-time: "2026-01-01T00:00:00Z"},
		managedFields: [{fieldsV1: {"f:metadata": {"f:annotations": {".": {}, "f:endpoints.kubernetes.io/last-change-trigger-time": {}}}}}]`
	const plain = `, managedFields: [{fieldsV1: {"f:metadata": {}}}]`
	if d := Compare(endpoints(triggered, "{ip: 10.0.0.1}, {ip: 10.0.0.2}"), endpoints(plain, "{ip: 10.0.0.2}, {ip: 10.0.0.1}"), "a", "b").Differences; len(d) != 0 {
		t.Errorf("%v", d)
	}
	if d := Compare(endpoints(plain, "{ip: 10.0.0.1}"), endpoints(plain, "{ip: 10.0.0.2}"), "a", "b").Differences; len(d) != 1 {
		t.Errorf("another address: %v", d)
	}
	if d := Compare(endpoints(`, annotations: {x: "1"}`, ""), endpoints("", ""), "a", "b").Differences; len(d) != 1 {
		t.Errorf("another annotation: %v", d)
	}
}

func TestPortOfServer(t *testing.T) {
	service := func(namespace string, port int) []Object {
		return []Object{{"kind": "Service", "metadata": map[string]any{"name": "kubernetes", "namespace": namespace, "uid": "u"},
			"spec": map[string]any{"ports": []any{map[string]any{"targetPort": port}}}}}
	}
	if d := Compare(service("default", 1), service("default", 2), "a", "b").Differences; len(d) != 0 {
		t.Errorf("%v", d)
	}
	if d := Compare(service("work", 1), service("work", 2), "a", "b").Differences; len(d) != 1 {
		t.Errorf("another service: %v", d)
	}
}

func TestManagersOfFields(t *testing.T) {
	managed := func(managers ...string) []Object {
		var entries []any
		for i, m := range managers {
			entries = append(entries, map[string]any{"manager": m, "time": fmt.Sprintf("2026-01-01T00:00:0%dZ", i)})
		}
		return []Object{{"kind": "Pod", "metadata": map[string]any{"name": "a", "uid": "u", "managedFields": entries}}}
	}
	if d := Compare(managed("kubelet", "kcm"), managed("kcm", "kubelet"), "a", "b").Differences; len(d) != 0 {
		t.Errorf("another order: %v", d)
	}
	if d := Compare(managed("kubelet", "kcm"), managed("kubelet", "other"), "a", "b").Differences; len(d) != 1 {
		t.Errorf("another manager: %v", d)
	}
}
