package jsoncheck

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestValid(t *testing.T) {
	for _, v := range someJSON {
		for _, text := range []string{`{"a":` + v + `}`, " { \"a\" :\n" + v + " , \"b\":[\t" + v + "\r, 1 ] } "} {
			if !Valid([]byte(text)) {
				t.Errorf("%s is not valid", text)
			}
		}
	}
	for _, v := range append(noJSON, `1e400`, `-1e309`, strings.Repeat("9", 400), `[1e400]`) {
		for _, text := range []string{`{"a":` + v + `}`, `{"b":[{}],"a":` + v, `{"a":[` + v + `,1]}`} {
			if Valid([]byte(text)) {
				t.Errorf("%s is valid", text)
			}
		}
	}
	for _, text := range append(someJSON, ``, ` `, `{}{}`, `{}]`, `{},`, `["a":1}`, `x"a":1}`, "{}\x00", "\ufeff{}") {
		if want := json.Valid([]byte(text)) && text[0] == '{'; Valid([]byte(text)) != want {
			t.Errorf("%q: not %v", text, want)
		}
	}
}

// Every byte in every place of a string, behind as many others as there are in a word.
func TestEveryByteInStrings(t *testing.T) {
	for before := range 20 {
		for c := range 256 {
			text := []byte(`{"a":"` + strings.Repeat("x", before) + string([]byte{byte(c)}) + `and more of them"}`)
			if got, want := Valid(text), json.Valid(text); got != want {
				t.Errorf("%q: %v", text, got)
			}
			text = []byte(`{"a":"` + strings.Repeat("x", before) + `\` + string([]byte{byte(c)}) + `123"}`)
			if got, want := Valid(text), json.Valid(text); got != want {
				t.Errorf("%q: %v", text, got)
			}
		}
	}
}

// A text that is cut short is never good, wherever it is cut, and nothing behind it is looked at.
func TestCutShort(t *testing.T) {
	plan := podPlan(t)
	for n := range podText {
		if n > 1000 && n < len(podText)-1000 && n%7 != 0 {
			continue
		}
		room := append([]byte(nil), podText...)[:n]
		if Valid(room) || plan.Check(room) {
			t.Fatalf("the first %d bytes are good", n)
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	plan := podPlan(t)
	object, err := Compile(&metav1.PartialObjectMetadata{})
	if err != nil {
		t.Fatal(err)
	}
	odd := oddPlan(t)
	text := []byte(`{"text":"\n","i64":5,"f64":1.5e3,"f32":0.5,"bytes":"AAAA","deep":[[1],[2]],"any":{"a":[1,null]},"micro":"2026-01-02T03:04:05.123456Z",` +
		`"duration":"5m0s","quantity":"100m","limits":{"cpu":1},"port":80,"time":"2026-01-31T03:04:05Z","unknown":{"a":"b"}}`)
	if n := testing.AllocsPerRun(100, func() {
		if !Valid(podText) || !plan.Check(podText) || !object.Check(podText) || !odd.Check(text) {
			t.Fatal("the text is not good")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
