package hashspace

import (
	"fmt"
	"hash/fnv"
	"math/bits"
	"testing"

	"k8s.io/apimachinery/pkg/sharding"
	"pgregory.net/rapid"
)

func TestFNVIsTheServers(t *testing.T) {
	for value, want := range map[string]uint64{"": 0xcbf29ce484222325, "default": 0xebada5168620c5fe, "kube-system": 0xdf65c7bc1d82b35e} {
		if got := FNV(value); got != want {
			t.Errorf("FNV(%q) = %#x, want %#x", value, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		h := fnv.New64a()
		h.Write([]byte(value))
		if got := FNV(value); got != h.Sum64() || fmt.Sprintf("%016x", got) != sharding.HashField(value) {
			t.Fatalf("FNV(%q) = %#x, want %#x", value, got, h.Sum64())
		}
	})
}

func TestHashesDoNotAllocate(t *testing.T) {
	value := "3f1c8f7e-1111-4222-8333-444455556666"
	var sink uint64
	if n := testing.AllocsPerRun(100, func() { sink += FNV(value) + Mixed(value) }); n > 0 {
		t.Errorf("%v allocations for two hashes", n)
	}
}

// Shard maps outlive programs: the hash of a key must stay what it is.
func TestMixedStays(t *testing.T) {
	for value, want := range map[string]uint64{"": 0xefd01f60ba992926, "default": 0xd47084e0f7c5d5ad, "a/b": 0xf2a5b2f60b006aec} {
		if got := Mixed(value); got != want {
			t.Errorf("Mixed(%q) = %#x, want %#x", value, got, want)
		}
	}
}

// Mixed must spread names over equal ranges that FNV leaves in one of them.
func TestMixedSpreadsSequentialNames(t *testing.T) {
	var plain, mixed [8]int
	for i := range 1000 {
		name := fmt.Sprintf("tenant-%d", i)
		plain[FNV(name)>>61]++
		mixed[Mixed(name)>>61]++
	}
	for i := range mixed {
		if mixed[i] < 85 || mixed[i] > 165 {
			t.Errorf("range %d has %d of 1000 names; all: %v (FNV: %v)", i, mixed[i], mixed, plain)
		}
	}
}

// A change of one bit must change about half of the bits.
func TestMixedAvalanche(t *testing.T) {
	changed, n := 0, 0
	for i := range 200 {
		a := []byte(fmt.Sprintf("namespace-%d/name", i))
		h := Mixed(string(a))
		for bit := range 8 {
			b := append([]byte{}, a...)
			b[len(b)-1] ^= 1 << bit
			changed += bits.OnesCount64(h ^ Mixed(string(b)))
			n++
		}
	}
	if mean := float64(changed) / float64(n); mean < 30 || mean > 34 {
		t.Errorf("a bit of the last byte changes %.1f bits of 64", mean)
	}
}
