package harness

import (
	"testing"
	"time"
)

// hungry allocates a known amount in a known time, and keeps a known part of it.
type hungry struct{ kept []byte }

const (
	hungryKeeps = 4 << 20
	hungryDrops = 8 << 20
	hungrySleep = 30 * time.Millisecond
)

var sink []byte

func (h *hungry) Ops() int { return 2 }

func (h *hungry) Run() {
	h.kept = make([]byte, hungryKeeps)
	sink = make([]byte, hungryDrops)
	time.Sleep(hungrySleep)
	sink = nil
}

func (h *hungry) Finish() (Sample, error) { return Sample{"own": 7}, nil }

func TestMeasure(t *testing.T) {
	w := Workload{Prepare: func(Config) (Trial, error) { return &hungry{}, nil }}
	s, err := Measure(w, Config{Scale: 1}, Profiles{})
	if err != nil {
		t.Fatal(err)
	}
	const slack = 1 << 20 // for what the runtime and the instruments need
	between := func(name string, low, high float64) {
		t.Helper()
		if s[name] < low || s[name] > high {
			t.Errorf("%s = %v, want it between %v and %v", name, s[name], low, high)
		}
	}
	between(Peak, hungryKeeps+hungryDrops, hungryKeeps+hungryDrops+slack)
	between(Kept, hungryKeeps-slack, hungryKeeps+slack)
	between(Volume, (hungryKeeps+hungryDrops)/2, (hungryKeeps+hungryDrops+slack)/2)
	between(Allocs, 1, 1000)
	between(Wall, float64(hungrySleep)/2, float64(time.Minute))
	between(CPU, 0, float64(time.Minute))
	between("own", 7, 7)
}

func TestConfigSizes(t *testing.T) {
	c := Config{Scale: 0.01}
	if got := c.Size(5000, 10); got != 50 {
		t.Errorf("Size = %d, want 50", got)
	}
	if got := c.Size(500, 10); got != 10 {
		t.Errorf("Size = %d, want the least, 10", got)
	}
	if got := c.Window(time.Second, time.Millisecond); got != 10*time.Millisecond {
		t.Errorf("Window = %v, want 10ms", got)
	}
}
