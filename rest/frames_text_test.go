package rest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"vedette.dev/internal/testsize"
	"vedette.dev/internal/wire/jsonscan"
)

// TestUsualFrames has the quick way to read a frame find what the thorough one finds, in frames as servers write them and in all
// that come of those when pieces are swapped, left out or doubled.
func TestUsualFrames(t *testing.T) {
	pieces := []string{
		`{`, `"type":`, `"ADDED"`, `"BOOKMARK"`, `"MODI\u0046IED"`, `,`, `"object":`, `{"kind":"Pod","a":[{},"}"]}`, `{}`, `[]`, `"}"`, `null`,
		`}`, ` `, `]`, `"a"`, `:`, `7`, `{"type":"MODIFIED","object":{"metadata":{"name":"x"}}}`, `{"type":"DELETED","object":`,
	}
	r := rand.New(rand.NewPCG(1, 1))
	quick := 0
	for range testsize.Of(100_000, 10_000) {
		order := []int{0, 1, 2, 5, 6, 7, 12}
		for range r.IntN(3) {
			switch at := r.IntN(len(order)); r.IntN(3) {
			case 0:
				order[at] = r.IntN(len(pieces))
			case 1:
				order = append(order[:at], order[at+1:]...)
			case 2:
				order = append(order[:at], append([]int{r.IntN(len(pieces))}, order[at:]...)...)
			}
			if len(order) == 0 {
				break
			}
		}
		var text strings.Builder
		for _, i := range order {
			text.WriteString(pieces[i])
		}
		from := jsonscan.NewReader(strings.NewReader(text.String()), 1<<20)
		for {
			data, err := from.Value()
			if err != nil {
				break // the end, or what cannot be cut into values
			}
			if _, at := usualEvent(data); at > 0 && from.Tail(data, at) != nil {
				quick++
			}
			var got, want Frame
			gotErr, wantErr := jsonFrames{from}.read(data, &got), want.readJSON(data)
			if fmt.Sprint(gotErr) != fmt.Sprint(wantErr) || wantErr == nil && !reflect.DeepEqual(got, want) {
				t.Fatalf("%s in %s:\ngot  %v %s, %v\nwant %v %s, %v",
					data, text.String(), got.Type, got.Object.Bytes, gotErr, want.Type, want.Object.Bytes, wantErr)
			}
		}
	}
	if quick < testsize.Of(10_000, 1_000) {
		t.Errorf("only %d were read in the quick way", quick)
	}
}
