package advice

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vedette.dev/cache"
)

// pods are 100,000 of 6.33 kB.
func pods() Kind {
	k := Kind{Informer: "core/v1.Pod", Synced: true, Objects: 100_000, Encoding: "protobuf", ObjectBytes: 6_330, Seconds: 3600}
	k.HeldBytes = k.held(0)
	return k
}

func packedPods(decodes ...Decode) Kind {
	k := pods()
	k.Packed, k.HeldBytes, k.Decodes = true, 90<<20, decodes
	return k
}

func TestAdvice(t *testing.T) {
	small := func(k Kind) Kind { k.Objects = 300; k.HeldBytes = k.held(k.HeldBytes / 300); return k }
	with := func(k Kind, change func(*Kind)) Kind { change(&k); k.HeldBytes = k.held(k.HeldBytes); return k }
	for name, test := range map[string]struct {
		kind         Kind
		storage      string
		change       bool
		why, instead string
	}{
		"just started":                {with(pods(), func(k *Kind) { k.Seconds = 20 }), Unknown, false, "it has run for 20s, and 5m0s are needed", ""},
		"not synced":                  {with(pods(), func(k *Kind) { k.Synced = false }), Unknown, false, "first list", ""},
		"decoded by the client":       {with(pods(), func(k *Kind) { k.ObjectBytes = 0 }), Unknown, false, "sizes", ""},
		"nothing reads":               {pods(), Packed, true, "at most; fits with less than 18", ""},
		"changes alone":               {with(pods(), func(k *Kind) { k.Events = 1000 }), Packed, true, "3 % of a core at most", ""},
		"listed once a minute":        {with(pods(), func(k *Kind) { k.Lists = 1. / 60 }), Packed, true, "at most", ""},
		"listed every second":         {with(pods(), func(k *Kind) { k.Lists = 1 }), Unknown, false, "1.0 lists per second would decode for 0.003 % of a core to 3.0 cores", ""},
		"listed all the time":         {with(pods(), func(k *Kind) { k.Lists = 50_000 }), Live, false, "1.5 cores or more", "Shared saves 555 MB"},
		"shared, and listed":          {with(pods(), func(k *Kind) { k.Shared = true; k.Lists = 50_000 }), Shared, false, "or more", ""},
		"shared, and nothing reads":   {with(pods(), func(k *Kind) { k.Shared = true }), Packed, true, "at most", ""},
		"a few":                       {small(pods()), Live, false, "does not matter", ""},
		"packed, and nothing reads":   {packedPods(), Packed, false, "it saves 1.2 GB, and decoding takes 0 % of a core", ""},
		"packed, and gets":            {packedPods(Decode{"get", 1, 300, 0.009}), Packed, false, "0.9 %", ""},
		"packed, and many gets":       {packedPods(Decode{"get", 1, 3000, 0.09}), Packed, false, "9 %", "Fields(…)"},
		"packed, and listed":          {packedPods(Decode{"get", 1, 1, 0.01}, Decode{"list", 1, 1e5, 3}), Live, true, "decoding takes 3.0 cores, as much as 6.46 GB of memory", "IndexByField"},
		"packed, and listed by label": {packedPods(Decode{"selector", 1, 1e5, 3}), Live, true, "3.0 cores", "narrower selector"},
		"packed, eager handlers":      {packedPods(Decode{"handler", 1, 1e5, 3}), Live, true, "3.0 cores", "LazyEventHandler"},
		"packed, a few":               {with(small(packedPods(Decode{"get", 1, 30, 0.0009})), func(k *Kind) { k.ObjectBytes = 100 }), Packed, false, "neither matters", ""},
		"packed, a few, often":        {with(small(packedPods(Decode{"index_function", 1, 3000, 0.09})), func(*Kind) {}), Live, true, "9 %", "IndexByMeta"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(test.kind, Enough)
			if got.Storage != test.storage || got.Change != test.change {
				t.Errorf("%+v, want %s", got, test.storage)
			}
			if !strings.Contains(got.Why, test.why) {
				t.Errorf("why: %s, want %q", got.Why, test.why)
			}
			if (got.Instead == "") != (test.instead == "") || !strings.Contains(got.Instead, test.instead) {
				t.Errorf("instead: %q, want %q", got.Instead, test.instead)
			}
		})
	}
}

// TestMoreReadsNeverSpeakForPacked: where packed storage is advised against, more decoding does not change that; and every use has an
// alternative.
func TestMoreReadsNeverSpeakForPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		k := packedPods(Decode{Use: "list", Cores: r.ExpFloat64()})
		k.Objects = 1 + r.IntN(100_000)
		more := k
		more.Decodes = []Decode{k.Decodes[0], {Use: "get", Cores: r.ExpFloat64()}}
		if a, b := Of(k, Enough), Of(more, Enough); a.Storage == Live && b.Storage != Live {
			t.Fatalf("%+v: %+v; with more reads %+v", k, a, b)
		}
		live := pods()
		live.Objects, live.Lists = k.Objects, r.ExpFloat64()*1000
		live.HeldBytes = live.held(0)
		busy := live
		busy.Lists *= 1 + r.Float64()
		if a, b := Of(live, Enough), Of(busy, Enough); a.Storage != Packed && b.Storage == Packed {
			t.Fatalf("%+v: %+v; with more lists %+v", live, a, b)
		}
	}
}

func TestFrom(t *testing.T) {
	now := time.Unix(1000, 0)
	s := cache.State{Type: "*v1.Pod", Synced: true, Objects: 10, Events: 200, Storage: cache.StorageState{
		Packed: true, Keep: []string{"spec"}, Since: now.Add(-100 * time.Second), Encoding: "protobuf", ObjectBytes: 6700, PackedBytes: 9000, Lists: 50,
		Decodes: []cache.DecodeState{{Use: "get"}, {Use: "list", Objects: 500, Time: time.Second}},
		Callers: []cache.DecodeCaller{{Function: "main.main", Line: "main.go:1", Use: "list", Objects: 400}},
	}}
	k := From("pods", &s, now)
	if k.Storage() != "packed, some fields" || k.HeldBytes != 9000 || k.Lists != 0.5 || k.Events != 2 || k.Cores() != 0.01 {
		t.Errorf("%+v", k)
	}
	if len(k.Decodes) != 1 || k.Decodes[0].PerSecond != 5 || k.Callers[0].Share != 0.8 {
		t.Errorf("%+v, %+v", k.Decodes, k.Callers)
	}
	for _, c := range []Caller{
		{Function: "example.com/shop/pkg/controllers.(*Shop).Reconcile"}, {Function: "controllers.(*Shop).Reconcile"},
	} {
		if c.Name() != "controllers.(*Shop).Reconcile" {
			t.Error(c.Name())
		}
	}
	if name := (Caller{Function: "a.com/b.Get[a.com/c.T]"}).Name(); name != "b.Get[a.com/c.T]" {
		t.Error(name)
	}
	if k := From("new", &cache.State{}, now); k.Storage() != Live || k.Seconds != 0 || Of(k, Enough).Storage != Unknown {
		t.Errorf("%+v", k)
	}
}
