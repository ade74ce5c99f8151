package keyhash

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestHasherRefusesWhatIsNoKey(t *testing.T) {
	anything := New[any]("queue: item")
	for _, bad := range []any{[]int{1}, map[string]int{}, func() {}, math.NaN(), struct{ x any }{[]int{}}} {
		msg := panicOf(func() { anything.Hash(bad) })
		if !strings.HasPrefix(msg, fmt.Sprintf("queue: item of type %T cannot be a key: ", bad)) {
			t.Errorf("Hash(%T) panicked with %q", bad, msg)
		}
	}
	floats := New[struct{ f [1]float64 }]("queue: item")
	if msg := panicOf(func() { floats.Hash(struct{ f [1]float64 }{[1]float64{math.NaN()}}) }); msg == "" {
		t.Error("a struct with a NaN inside was accepted")
	}
	if New[struct {
		a string
		b int
	}]("x").check {
		t.Error("a struct of string and int needs no check")
	}
}

func panicOf(f func()) (msg string) {
	defer func() {
		if r := recover(); r != nil {
			msg = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
