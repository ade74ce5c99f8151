package kinds

import "vedette.dev/internal/jsonpath"

// findPath finds what a JSONPath such as ".spec.replicas" leads to.
func findPath(in any, path string) ([]any, error) {
	p, err := jsonpath.Parse(path)
	if err != nil {
		return nil, err
	}
	return p.Find(in), nil
}
