package jsoncheck

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// smallPod has a bit of everything. A fuzzer makes more of a small text than of a large one.
const smallPod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","creationTimestamp":"2026-01-31T00:00:37Z","labels":{"a":"b"},
"managedFields":[{"time":"2026-01-01T00:00:37Z","fieldsV1":{"f:a":{}}}]},"spec":{"containers":[{"ports":[{"containerPort":80}],
"resources":{"limits":{"cpu":"100m","memory":1}},"readinessProbe":{"httpGet":{"port":"http"}}}],"hostNetwork":true},"status":null}`

// FuzzCheck: what is said to be good can be decoded.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(smallPod))
	for _, c := range fieldCases {
		for _, values := range [][]string{c.yes, c.unsure, c.no} {
			for _, v := range values {
				f.Add([]byte(`{"` + c.field + `":` + v + `}`))
			}
		}
	}
	pod, odds := podPlan(f), oddPlan(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if pod.Check(data) {
			if err := decodes(&corev1.Pod{}, data); err != nil {
				t.Errorf("a pod: said yes, but %v", err)
			}
		}
		if odds.Check(data) {
			if err := decodes(&odd{}, data); err != nil {
				t.Errorf("said yes, but %v", err)
			}
		}
	})
}

// FuzzValid: what is said to be valid is valid to encoding/json, and can be decoded. And what can be decoded is valid, unless it
// is nested too deep.
func FuzzValid(f *testing.F) {
	f.Add([]byte(smallPod))
	for _, values := range [][]string{someJSON, noJSON} {
		for _, v := range values {
			f.Add([]byte(` { "a" : ` + v + "\n, \"b\" : [ \"longer than eight bytes\", " + v + `]}`))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := Valid(data)
		err := decodesPlainly(data)
		if got && (err != nil || !json.Valid(data)) {
			t.Errorf("said yes, but %v", err)
		}
		if c, _ := next(data, 0); !got && err == nil && c == '{' && len(data) <= 2*deepest {
			t.Error("said no, but it can be decoded")
		}
	})
}
