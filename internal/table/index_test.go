package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestAFailingIndexFunctionLeavesTheObjectOutOfItsIndexAlone(t *testing.T) {
	type failure struct{ key, index string }
	var failures []failure
	s := New(Config{Indexes: []Index{wordsOf("0", 0), failing("failing")}, IndexError: func(key, index string, err error) error {
		failures = append(failures, failure{key, index})
		return err
	}})
	mustNot(t, s.Put("a", &item{fields: [2]string{"fine"}}, Version{}))
	bad := &item{fields: [2]string{"error"}}
	for name, write := range map[string]func() error{
		"Put":     func() error { return s.Put("a", bad, Version{}) },
		"Apply":   func() error { return s.Apply([]Step{{Op: Put, Key: "a", Object: bad}}, Version{}) },
		"Replace": func() error { return s.Replace(func(yield func(string, any) bool) { yield("a", bad) }, 1, "1") },
	} {
		failures = nil
		if err := write(); err != errBad {
			t.Errorf("%s: error %v, want %v", name, err, errBad)
		}
		if want := []failure{{"a", "failing"}}; !slices.Equal(failures, want) {
			t.Errorf("%s: failures %v, want %v", name, failures, want)
		}
		if obj, _ := s.Get("a"); obj != any(bad) {
			t.Errorf("%s: the object was not stored", name)
		}
		if keys, _ := s.KeysByIndex("0", "error"); len(keys) != 1 || len(s.IndexValues("failing")) != 0 {
			t.Errorf("%s: %d keys in the other index, values %q in this one", name, len(keys), s.IndexValues("failing"))
		}
		mustNot(t, s.Verify())
	}
}

func TestManyFailuresAreCountedAndTheFirstAreNamed(t *testing.T) {
	s := New(Config{})
	for i := range 100 {
		mustNot(t, s.Put(fmt.Sprint(i), &item{fields: [2]string{"panic"}}, Version{}))
	}
	err := s.AddIndexes([]Index{failing("failing")})
	if err == nil || !strings.Contains(err.Error(), "index function panicked: boom") || !strings.Contains(err.Error(), "and 90 objects more") {
		t.Errorf("error %v", err)
	}
	mustNot(t, s.Verify())
}

func TestAnObjectIsDecodedOnceForAllIndexes(t *testing.T) {
	type packed struct{ item }
	decoded := 0
	config := Config{
		Indexes: []Index{
			{Name: "stored", Undecoded: true, Func: func(obj any) ([]string, error) { return []string{obj.(*packed).key}, nil }},
			wordsOf("0", 0), wordsOf("1", 1),
		},
		Decode: func(stored any) (any, error) {
			decoded++
			if stored.(*packed).key == "bad" {
				return nil, errBad
			}
			return &stored.(*packed).item, nil
		},
	}
	s := New(config)
	mustNot(t, s.Put("k", &packed{item{key: "good", fields: [2]string{"a", "b"}}}, Version{}))
	if decoded != 1 {
		t.Errorf("decoded %d times, want 1", decoded)
	}
	for _, index := range []string{"stored", "0", "1"} {
		if n := len(s.IndexValues(index)); n != 1 {
			t.Errorf("index %s has %d values, want 1", index, n)
		}
	}
	if err := s.Put("k", &packed{item{key: "bad"}}, Version{}); !errors.Is(err, errBad) {
		t.Errorf("error %v, want %v", err, errBad)
	}
	if got := s.IndexValues("stored"); !slices.Equal(got, []string{"bad"}) {
		t.Errorf("an object that cannot be decoded has values %q", got)
	}
}

func TestAnIndexThatIsMissingIsAnError(t *testing.T) {
	s := New(Config{})
	const sentence = "Index with name x does not exist"
	_, byIndex := s.ByIndex("x", "")
	_, list := s.ListByIndex("x", "")
	_, keys := s.KeysByIndex("x", "")
	_, like := s.Like("x", nil)
	for _, err := range []error{byIndex, list, keys, like} {
		if err == nil || err.Error() != sentence {
			t.Errorf("error %v, want %q", err, sentence)
		}
	}
	if views, _ := s.Readers(); views != 0 {
		t.Errorf("%d views were not released", views)
	}
}

func TestLikeReturnsEachRowOnce(t *testing.T) {
	s := New(Config{Indexes: []Index{wordsOf("0", 0)}})
	for key, words := range map[string]string{"ab": "a b", "b": "b", "c": "c"} {
		mustNot(t, s.Put(key, &item{key: key, fields: [2]string{words}}, Version{}))
	}
	for words, want := range map[string][]string{"a b": {"ab", "b"}, "b": {"ab", "b"}, "c": {"c"}, "": nil, "x": nil} {
		rows, err := s.Like("0", &item{fields: [2]string{words}})
		mustNot(t, err)
		var got []string
		for _, r := range rows {
			got = append(got, r.Key())
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("like %q: %q, want %q", words, got, want)
		}
	}
}

func TestTwoIndexesOfOneNameAreRefused(t *testing.T) {
	s := New(Config{Indexes: []Index{wordsOf("0", 0)}})
	err := s.AddIndexes([]Index{wordsOf("1", 1), wordsOf("0", 0)})
	if err == nil || err.Error() != "indexer conflict: [0]" {
		t.Errorf("error %v", err)
	}
	if n := s.Indexes().Len(); n != 1 {
		t.Errorf("%d indexes, want 1: none is added", n)
	}
	mustNot(t, s.Verify())
}

// A writer that has prepared its steps learns from Commit that an index was added.
func TestCommitIsRefusedWhenAnIndexWasAdded(t *testing.T) {
	s := New(Config{Indexes: []Index{wordsOf("0", 0)}})
	steps := []Step{{Op: Put, Key: "k", Object: &item{fields: [2]string{"a", "b"}}}}
	set, values, err := s.Prepare(steps)
	mustNot(t, err)
	mustNot(t, s.AddIndexes([]Index{wordsOf("1", 1)}))
	if s.Commit(set, steps, values, At("1")) || s.Len() != 0 || s.Version() != "" {
		t.Fatal("the steps were done with the values of too few indexes")
	}
	set, values, err = s.Prepare(steps)
	mustNot(t, err)
	if !s.Commit(set, steps, values, At("1")) || s.Len() != 1 || s.Version() != "1" {
		t.Fatal("the steps were not done")
	}
	mustNot(t, s.Verify())
}

// A call of OnVersion may take long, and versions are set meanwhile: the last call has the last version.
func TestTheLastVersionIsReportedLast(t *testing.T) {
	var s *Table
	var reported []string
	s = New(Config{OnVersion: func(version string) {
		reported = append(reported, version) // calls do not overlap
		if version == "1" {
			var others sync.WaitGroup
			for _, v := range []string{"2", "3"} {
				others.Go(func() { s.SetVersion(v) })
				others.Wait()
			}
		}
	}})
	s.SetVersion("1")
	if last := reported[len(reported)-1]; last != "3" || s.Version() != "3" {
		t.Errorf("reported %q, want 3 last; the version is %q", reported, s.Version())
	}
	s.Remove("none", Version{})
	if n := len(reported); reported[n-1] != "3" || n > 3 {
		t.Errorf("reported %q after a write without a version", reported)
	}
}
