package table

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// No test may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func mustNot(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// item is an object of the tests. Its values in an index are the words of a field.
type item struct {
	key    string
	fields [2]string
}

// wordsOf returns an index by field number n, which is named after it.
func wordsOf(name string, n int) Index {
	return Index{Name: name, Func: func(obj any) ([]string, error) {
		return strings.Fields(obj.(*item).fields[n]), nil
	}}
}

var errBad = errors.New("bad object")

// failing returns an index whose function fails for items whose first field says how.
func failing(name string) Index {
	return Index{Name: name, Func: func(obj any) ([]string, error) {
		switch obj.(*item).fields[0] {
		case "error":
			return []string{"ignored"}, errBad
		case "panic":
			panic("boom")
		}
		return []string{"fine"}, nil
	}}
}
