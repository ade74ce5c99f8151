package command

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"vedette.dev/cmd/vedette/internal/kinds"
)

// amount is RESOURCE=NUMBER.
type amount struct {
	name   string
	number float64
}

// parseAmounts parses the values of a flag. A number alone is for the resource otherwise, if that is not empty.
func parseAmounts(flag string, texts []string, otherwise string, whole bool) ([]amount, error) {
	var all []amount
	for _, text := range texts {
		name, digits, found := strings.Cut(strings.TrimSpace(text), "=")
		if !found && otherwise != "" {
			name, digits = otherwise, name
		}
		number, err := strconv.ParseFloat(digits, 64)
		bad := err != nil || number <= 0 || math.IsInf(number, 0) || math.IsNaN(number)
		switch {
		case whole && (bad || number != math.Trunc(number) || number > 10_000_000):
			return nil, usagef("--%s has %q, and must be RESOURCE=COUNT with a count from 1 to 10,000,000, such as pods=1000", flag, text)
		case bad || name == "":
			return nil, usagef("--%s has %q, and must be a number of changes per second, or RESOURCE=RATE, such as pods=50", flag, text)
		}
		all = append(all, amount{name, number})
	}
	return all, nil
}

// template returns an object of a kind to copy. Objects of common kinds have content.
func template(r kinds.Resource) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: map[string]any{}}
	obj.SetGroupVersionKind(r.GroupVersion().WithKind(r.Kind))
	obj.SetName(strings.ToLower(r.Kind))
	obj.SetLabels(map[string]string{"app": strings.ToLower(r.Kind)})
	if r.Namespaced {
		obj.SetNamespace("default")
	}
	app := map[string]any{"app": strings.ToLower(r.Kind)}
	pod := map[string]any{
		"metadata": map[string]any{"labels": app},
		"spec":     map[string]any{"containers": []any{map[string]any{"name": "main", "image": "example.com/main:1"}}},
	}
	switch r.Kind {
	case "ConfigMap":
		obj.Object["data"] = map[string]any{"settings": "colour = blue\n"}
	case "Secret":
		obj.Object["type"], obj.Object["data"] = "Opaque", map[string]any{"password": "c2VjcmV0"}
	case "Deployment", "ReplicaSet", "StatefulSet":
		obj.Object["spec"] = map[string]any{"replicas": int64(1), "selector": map[string]any{"matchLabels": app}, "template": pod}
		obj.Object["status"] = map[string]any{"replicas": int64(1), "readyReplicas": int64(1)}
	case "Service":
		obj.Object["spec"] = map[string]any{"type": "ClusterIP", "selector": app, "ports": []any{map[string]any{"port": int64(80), "protocol": "TCP"}}}
	}
	return obj
}

// greet prints how to use the server.
func (v *serve) greet(address string, output *kubeconfigFile) {
	out := v.out
	if output.path == "" {
		out = v.err
	}
	fmt.Fprintf(out, "Serving at %s until %s. Its objects are not persisted.\n", serverURL(address), until(v.forTime))
	if host, _, err := net.SplitHostPort(address); err == nil && !isLoopback(host) {
		fmt.Fprintf(out, "Other machines can reach it. The token in the kubeconfig grants all rights.\n")
	}
	if output.path == "" {
		return
	}
	fmt.Fprintf(out, "\n  export KUBECONFIG=%s\n  kubectl get %s -A\n  %s watch %[2]s -A\n", shellQuote(output.path), v.lookAt(), v.program())
}

func (v *serve) lookAt() string {
	if len(v.fills) > 0 {
		return v.fills[0].name
	}
	return "namespaces"
}

func shellQuote(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return strings.ContainsRune(" '\"$`\\&;|<>()*?[]#~!{}", r) }) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// serverURL returns the URL of an address for a client on this machine. For an address of all interfaces it uses the loopback interface.
func serverURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "https://" + address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "https://" + net.JoinHostPort(host, port)
}

func hostOf(rawURL string) string {
	parsed, err := url.Parse(rawURL)
	if err != nil || parsed.Host == "" {
		return rawURL
	}
	return parsed.Host
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
