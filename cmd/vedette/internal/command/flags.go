package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

// oneOf refuses a flag that has none of the values. The empty one may be among them.
func oneOf(flag, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
	return usagef("--%s is %q, and must be one of %s", flag, value, strings.Join(values, ", "))
}

// notNegative refuses times that lie in the past.
func notNegative(flag string, d time.Duration) error {
	if d < 0 {
		return usagef("--%s is %s, and must not be negative", flag, d)
	}
	return nil
}

// validSelector refuses what is no selector of labels.
func validSelector(selector string) error {
	if _, err := labels.Parse(selector); err != nil {
		return usagef("--selector is %q: %w", selector, err)
	}
	return nil
}

// within returns a context that ends after the time of --for; 0 means no such end.
func within(ctx context.Context, forTime time.Duration) (context.Context, context.CancelFunc) {
	if forTime > 0 {
		return context.WithTimeout(ctx, forTime)
	}
	return context.WithCancel(ctx)
}
