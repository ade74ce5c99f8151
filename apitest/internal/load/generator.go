package load

import (
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Options say what pods a generator makes.
type Options struct {
	Seed uint64
	// Namespaces, Nodes and Replicas are over how many namespaces and nodes the pods are spread, and how many of them a
	// ReplicaSet owns. They must be positive.
	Namespaces, Nodes, Replicas int
}

// Generator makes pods. It belongs to one goroutine.
type Generator struct {
	options Options
	shapes  []*shape
	// owner is the last one that was asked for: pods come in order, and those of one owner share a lot.
	owner *owner
}

// shapeCount is odd, so that walking through a list meets them in no regular pattern of small powers.
const shapeCount = 61

// New returns a generator.
func New(options Options) *Generator {
	g := &Generator{options: options}
	for i := range shapeCount {
		g.shapes = append(g.shapes, newShape(NewRandom(options.Seed, uint64(i)<<2|1)))
	}
	return g
}

// Pod is the one of a number, from 0 on. Parts of it are shared with other pods, and must not be changed.
func (g *Generator) Pod(i int) *corev1.Pod {
	o := g.ownerOf(i)
	id := g.identityOf(i)
	return &corev1.Pod{ObjectMeta: metadata(o, id), Spec: spec(o, id), Status: status(o, id)}
}

// Namespace is where pod i is.
func (g *Generator) Namespace(i int) string {
	return namespaceName(i / g.options.Replicas % g.options.Namespaces)
}

func namespaceName(n int) string { return fmt.Sprintf("%s-%04d", teams[n%len(teams)], n) }

// owner is a ReplicaSet, and what its pods have in common.
type owner struct {
	*shape
	number           int
	namespace        string
	deployment, name string
	hash             string
	labels           map[string]string
	annotations      map[string]string
	references       []metav1.OwnerReference
	controllerFields *metav1.FieldsV1
}

func (g *Generator) ownerOf(i int) *owner {
	number := i / g.options.Replicas
	if g.owner == nil || g.owner.number != number {
		g.owner = g.newOwner(number)
	}
	return g.owner
}

func (g *Generator) newOwner(number int) *owner {
	r := NewRandom(g.options.Seed, uint64(number)<<2|2)
	s := g.shapes[r.Below(len(g.shapes))]
	o := &owner{shape: s, number: number, namespace: namespaceName(number % g.options.Namespaces), hash: r.Letters(10)}
	o.deployment = fmt.Sprintf("%s-%05d", s.app, number)
	o.name = o.deployment + "-" + o.hash
	uid := r.UUID()
	o.labels = map[string]string{
		"app.kubernetes.io/name":       s.app,
		"app.kubernetes.io/instance":   o.deployment,
		"app.kubernetes.io/part-of":    s.team,
		"app.kubernetes.io/managed-by": "Helm",
		"pod-template-hash":            o.hash,
		"team":                         s.team,
	}
	o.annotations = annotations(s)
	o.references = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: o.name, UID: types.UID(uid),
		Controller: new(true), BlockOwnerDeletion: new(true),
	}}
	o.controllerFields = metav1.NewFieldsV1(controllerFields(s, uid).String())
	return o
}

// identity is what a pod has for itself.
type identity struct {
	suffix, uid, token           string
	node, hostIP, podIP          string
	container, sidecar           string
	created, started, readySince metav1.Time
}

// firstTime is the creation of pod 0: 2026-01-01T00:00:00Z. Each one that follows is a second younger.
const firstTime = 1_767_225_600

func (g *Generator) identityOf(i int) *identity {
	r := NewRandom(g.options.Seed, uint64(i)<<2|3)
	node := r.Below(g.options.Nodes)
	at := func(seconds int) metav1.Time { return metav1.Unix(firstTime+int64(i+seconds), 0) }
	return &identity{
		suffix: r.Letters(5), uid: r.UUID(), token: r.Letters(5),
		node: nodeName(node), hostIP: Address(10, node), podIP: Address(100, i),
		container: "containerd://" + r.Hex(64), sidecar: "containerd://" + r.Hex(64),
		created: at(0), started: at(2), readySince: at(11),
	}
}

func nodeName(n int) string { return fmt.Sprintf("worker-%04d.eu-central-1.example.net", n) }

// Address is a distinct one for each of some 16 million numbers.
func Address(first, n int) string {
	return strconv.Itoa(first) + "." + strconv.Itoa(n>>16&255) + "." + strconv.Itoa(n>>8&255) + "." + strconv.Itoa(n&255)
}

func metadata(o *owner, id *identity) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:              o.name + "-" + id.suffix,
		GenerateName:      o.name + "-",
		Namespace:         o.namespace,
		UID:               types.UID(id.uid),
		Generation:        1,
		CreationTimestamp: id.created,
		Labels:            o.labels,
		Annotations:       o.annotations,
		OwnerReferences:   o.references,
		ManagedFields:     managedFields(o, id),
	}
}

func annotations(s *shape) map[string]string {
	a := map[string]string{
		"checksum/config":      s.configHash,
		"prometheus.io/scrape": "true",
		"prometheus.io/port":   strconv.Itoa(int(s.port)),
	}
	if s.restarted {
		a["kubectl.kubernetes.io/restartedAt"] = time.Unix(firstTime, 0).UTC().Format(time.RFC3339)
	}
	return a
}
