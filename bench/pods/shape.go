package pods

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// shape is what the pods of a ReplicaSet have in common, apart from their owner's name.
type shape struct {
	namespace, app, team string
	image, imageID       string
	configHash           string
	env                  []corev1.EnvVar
	port                 int32
	sidecar              bool // a proxy beside the application
	spread               bool // over zones and nodes
	toleratesSpot        bool
	restarted            bool   // by kubectl, which leaves an annotation
	controllerFields     string // the managed fields, with a placeholder
}

// shapeCount is odd, so that walking through a list meets them in no regular pattern of small powers.
const shapeCount = 61

var shapes = makeShapes()

// shapeOf is the shape of pod i.
func shapeOf(i int) int { return i / replicas % shapeCount }

func makeShapes() []*shape {
	out := make([]*shape, shapeCount)
	for i := range out {
		r := random(1_000_003 * (i + 1))
		out[i] = makeShape(&r)
	}
	return out
}

var (
	apps = []string{"checkout", "cart", "inventory", "payment-gateway", "search", "recommendations", "user-profile",
		"notification-dispatcher", "pricing", "web-frontend", "session-store", "fulfilment", "fraud-check", "mailer"}
	teams = []string{"storefront", "payments", "platform", "search-relevance", "logistics", "identity"}
	nouns = []string{"DATABASE", "CACHE", "QUEUE", "UPSTREAM", "FEATURE", "TRACING", "METRICS", "AUTH", "STORAGE", "SESSION"}
	kinds = []string{"URL", "TIMEOUT_SECONDS", "POOL_SIZE", "PASSWORD", "ENABLED", "HOSTNAME", "MAX_RETRIES"}
)

func makeShape(r *random) *shape {
	pick := func(from []string) string { return from[r.next()%uint64(len(from))] }
	chance := func(percent uint64) bool { return r.next()%100 < percent }
	digest := make([]byte, 64)
	s := &shape{app: pick(apps), team: pick(teams), port: int32(8000 + r.next()%1000)}
	s.namespace = s.team + "-" + pick([]string{"production", "staging", "canary"})
	r.hex(digest)
	s.image = fmt.Sprintf("registry.example.com/%s/%s:v1.%d.%d", s.team, s.app, r.next()%40, r.next()%10)
	s.imageID = fmt.Sprintf("registry.example.com/%s/%s@sha256:%s", s.team, s.app, digest)
	r.hex(digest)
	s.configHash = string(digest)
	s.sidecar, s.spread, s.toleratesSpot, s.restarted = chance(40), chance(50), chance(25), chance(40)
	for _, at := range distinct(r, len(nouns)*len(kinds), 4+int(r.next()%10)) {
		s.env = append(s.env, variable(s, nouns[at/len(kinds)], kinds[at%len(kinds)]))
	}
	s.controllerFields = makeControllerFields(s).String()
	return s
}

// distinct are some of the numbers below n, none twice: a container cannot have two variables of one name.
func distinct(r *random, n, count int) []int {
	seen := make([]bool, n)
	var out []int
	for len(out) < count {
		if at := int(r.next() % uint64(n)); !seen[at] {
			seen[at] = true
			out = append(out, at)
		}
	}
	return out
}

// variable is an environment variable, with a value that fits its name.
func variable(s *shape, noun, kind string) corev1.EnvVar {
	e := corev1.EnvVar{Name: noun + "_" + kind}
	switch kind {
	case "URL":
		e.Value = fmt.Sprintf("https://%s.%s.svc.cluster.local:8443/v2", strings.ToLower(noun), s.namespace)
	case "PASSWORD":
		e.ValueFrom = &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: s.app + "-credentials"},
			Key:                  strings.ToLower(e.Name),
		}}
	case "HOSTNAME":
		e.ValueFrom = &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "spec.nodeName"}}
	case "ENABLED":
		e.Value = "true"
	default:
		e.Value = "30"
	}
	return e
}
