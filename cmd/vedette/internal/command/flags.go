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

// plainly says what is wrong with the value of a flag in words for people who do not write Go.
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

// until says when a command ends that has a flag --for.
func until(forTime time.Duration) string {
	if forTime > 0 {
		return fmt.Sprintf("Ctrl-C, or for %s", forTime)
	}
	return "Ctrl-C"
}
