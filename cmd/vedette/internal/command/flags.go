package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

// plainly describes an invalid flag value for people who do not write Go.
func plainly(err error) error {
	cause := errors.Unwrap(err)
	if cause == nil {
		return err
	}
	var number *strconv.NumError
	var wanted string
	switch {
	case errors.As(cause, &number) && number.Func == "ParseFloat":
		wanted = "it must be a number"
	case errors.As(cause, &number) && number.Func == "ParseBool":
		wanted = "it must be true or false"
	case errors.As(cause, &number):
		wanted = "it must be a whole number"
	case strings.HasPrefix(cause.Error(), "time: "):
		wanted = "it must be a time with a unit, such as 20s or 2m"
	default:
		return err
	}
	before, ok := strings.CutSuffix(err.Error(), cause.Error())
	if !ok {
		return err
	}
	return errors.New(before + wanted)
}

// oneOf returns an error for a flag that has none of the values, which may include the empty one.
func oneOf(flag, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
	return usagef("--%s is %q, and must be one of %s", flag, value, strings.Join(values, ", "))
}

// notNegative returns an error for a negative duration.
func notNegative(flag string, d time.Duration) error {
	if d < 0 {
		return usagef("--%s is %s, and must not be negative", flag, d)
	}
	return nil
}

// validSelector returns an error for an invalid label selector.
func validSelector(selector string) error {
	if _, err := labels.Parse(selector); err != nil {
		return usagef("--selector is %q: %w", selector, err)
	}
	return nil
}

// within returns a context that ends after the time of --for; 0 means no limit.
func within(ctx context.Context, forTime time.Duration) (context.Context, context.CancelFunc) {
	if forTime > 0 {
		return context.WithTimeout(ctx, forTime)
	}
	return context.WithCancel(ctx)
}

// until describes when a command with a flag --for ends.
func until(forTime time.Duration) string {
	if forTime > 0 {
		return fmt.Sprintf("Ctrl-C, or for %s", forTime)
	}
	return "Ctrl-C"
}
