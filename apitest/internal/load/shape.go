package load

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// shape is what the pods of a ReplicaSet have in common, apart from their owner's name.
type shape struct {
	app, team      string
	image, imageID string
	configHash     string
	env            []corev1.EnvVar
	port           int32
	sidecar        bool // a proxy beside the application
	spread         bool // over zones and nodes
	toleratesSpot  bool
	restarted      bool // by kubectl, which leaves an annotation

	*parts
}

var (
	apps = []string{"checkout", "cart", "inventory", "payment-gateway", "search", "recommendations", "user-profile",
		"notification-sender", "pricing", "web-frontend", "session-store", "fulfilment", "fraud-check", "mailer"}
	teams = []string{"storefront", "payments", "platform", "search-relevance", "logistics", "identity"}
	nouns = []string{"DATABASE", "CACHE", "QUEUE", "UPSTREAM", "FEATURE", "TRACING", "METRICS", "AUTH", "STORAGE", "SESSION"}
	kinds = []string{"URL", "TIMEOUT_SECONDS", "POOL_SIZE", "PASSWORD", "ENABLED", "HOSTNAME", "MAX_RETRIES"}
)

func newShape(r *Random) *shape {
	s := &shape{app: r.pick(apps), team: r.pick(teams), port: int32(8000 + r.Below(1000))}
	s.image = fmt.Sprintf("images.example.com/%s/%s:v1.%d.%d", s.team, s.app, r.Below(40), r.Below(10))
	s.imageID = fmt.Sprintf("images.example.com/%s/%s@sha256:%s", s.team, s.app, r.Hex(64))
	s.configHash = r.Hex(64)
	s.sidecar, s.spread, s.toleratesSpot, s.restarted = r.chance(25), r.chance(40), r.chance(25), r.chance(40)
	for _, at := range r.distinct(len(nouns)*len(kinds), 3+r.Below(5)) {
		s.env = append(s.env, variable(s, nouns[at/len(kinds)], kinds[at%len(kinds)]))
	}
	s.parts = newParts(s)
	return s
}

// variable is an environment variable, with a value that fits its name.
func variable(s *shape, noun, kind string) corev1.EnvVar {
	e := corev1.EnvVar{Name: noun + "_" + kind}
	switch kind {
	case "URL":
		e.Value = fmt.Sprintf("https://%s.%s.svc.cluster.local:8443/v2", strings.ToLower(noun), s.team)
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
