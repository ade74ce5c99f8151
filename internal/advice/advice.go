package advice

import (
	"fmt"
	"math"
	"time"
)

// Storages that fit.
const (
	Live    = "live"
	Shared  = "shared"
	Packed  = "packed"
	Unknown = "not enough known"
)

// Advice is which storage fits a kind.
type Advice struct {
	// Storage is Live, Shared, Packed, or Unknown.
	Storage string `json:"storage"`
	// Saves is how many bytes it saves, compared with the present storage; if the present storage fits, what that saves compared with Live.
	Saves int64 `json:"savesBytes"`
	// Change is true if it is not the present storage.
	Change bool   `json:"change"`
	Why    string `json:"why"`
	// Instead says how the program could read with less decoding. It is empty if that would not matter.
	Instead string `json:"instead,omitempty"`
}

// Enough is how long a program must have run: a start, at which everything is reconciled once, is not what it does all day.
const Enough = 5 * time.Minute

// Measured with 100,000 pods (bench/RESULTS.md, memory/sync-*), each of 6.33 kB in protobuf and 9.94 kB in JSON: client-go's heap is 20.5 kB
// a pod; live takes 0.63 of that, shared 0.36, packed 0.044. As typed JSON live takes 0.65 of 20.6 kB, unstructured 0.60 of 66.4 kB.
const (
	liveToProtobuf     = 2.04 // 12.9 kB of heap for 6.33 kB
	liveToJSON         = 1.34 // 13.4 kB for 9.94 kB
	unstructuredToJSON = 4.0  // 39.8 kB for 9.94 kB
	sharedToLive       = 0.57
	packedToLive       = 0.07
)

// What it takes to decode a packed object, by its size as it came: a Get of a pod takes 30 µs in protobuf (memory/get-packed-cold; 37 µs of
// processor time on a machine with other work, 27 if the pod was read of late), where a live one takes 0.6 to 0.9, and an event whose handler
// is given a pod that came as JSON takes 160 µs of processor time more than one whose handler is told the key (watch/json-packed).
const (
	protobufDecode = 4.7e-9 // seconds a byte
	jsonDecode     = 16e-9
)

const (
	// bytesPerCore is what memory and processors are exchanged at: general-purpose machines have 4 GiB for each core, and with the default
	// GOGC a byte that is held takes two.
	bytesPerCore = 4 << 30 / 2
	// matters is a saving below which any storage will do.
	matters = 16 << 20
)

// live returns the memory of the objects if they are stored decoded, 0 if their size is unknown.
func (k *Kind) live() int64 {
	factor := liveToProtobuf
	switch {
	case k.Unstructured:
		factor = unstructuredToJSON
	case k.Encoding != "protobuf":
		factor = liveToJSON
	}
	return int64(factor * float64(k.ObjectBytes) * float64(k.Objects))
}

// decodeCost returns the processor time to decode an object, in seconds.
func (k *Kind) decodeCost() float64 {
	if k.Encoding == "protobuf" {
		return protobufDecode * float64(k.ObjectBytes)
	}
	return jsonDecode * float64(k.ObjectBytes)
}

// Of returns which storage fits a kind that was observed for long enough.
func Of(k Kind, enough time.Duration) Advice {
	switch {
	case !k.Synced:
		return Advice{Storage: Unknown, Why: "the first list is not in the store"}
	case k.Objects > 0 && k.ObjectBytes == 0:
		return Advice{Storage: Unknown, Why: "the sizes of the objects are not known: its client decodes them itself"}
	case k.Seconds < enough.Seconds():
		return Advice{Storage: Unknown, Why: fmt.Sprintf("it has run for %s, and %s are needed", seconds(k.Seconds), seconds(enough.Seconds()))}
	case k.Packed:
		return ofPacked(k)
	}
	return ofLive(k)
}

// ofPacked compares what packed storage saves with the decoding that was measured.
func ofPacked(k Kind) Advice {
	a := Advice{Storage: Packed, Saves: max(0, k.live()-k.HeldBytes)}
	cost, worth := k.Cores(), float64(a.Saves)/bytesPerCore
	a.Why = fmt.Sprintf("it saves %s, and decoding takes %s", Size(a.Saves), Cores(cost))
	switch {
	case cost <= worth:
	case a.Saves < matters && cost < 0.001:
		a.Why += "; neither matters"
	default:
		a.Storage, a.Change, a.Saves = Live, true, -a.Saves
		a.Why += fmt.Sprintf(", as much as %s of memory are worth", Size(int64(cost*bytesPerCore)))
	}
	if a.Change || cost > 0.01 {
		a.Instead = instead(k)
	}
	return a
}

// instead names what to do about the use that takes most of the time.
func instead(k Kind) string {
	most := Decode{}
	for _, d := range k.Decodes {
		if d.Cores > most.Cores {
			most = d
		}
	}
	return map[string]string{
		"get":            "get what is needed alone: Fields(…) or Metadata() of the lister",
		"list":           "list what is needed alone: by a selector or by an index (IndexByField), or Metadata() or Fields(…); All loops without a list",
		"index":          "list what is needed alone: Metadata() or Fields(…) of the lister, or a narrower index (IndexByField)",
		"selector":       "list what is needed alone: Metadata() or Fields(…) of the lister, or a narrower selector",
		"iterator":       "loop over what is needed alone: Metadata() or Fields(…) of the lister, or AllByIndex",
		"handler":        "let handlers look at keys: LazyEventHandler, or controller.For without predicates",
		"index_function": "index without decoding: IndexByField or IndexByMeta",
	}[most.Use]
}

// ofLive compares what packed storage would save with the least and the most that lists and handlers would decode.
func ofLive(k Kind) Advice {
	packed := int64(packedToLive * float64(k.live()))
	saves, one := k.HeldBytes-packed, k.decodeCost()
	now := Live
	if k.Shared {
		now = Shared
	}
	if saves < matters {
		return Advice{Storage: now, Why: fmt.Sprintf("packed it would save %s, which does not matter", Size(max(0, saves)))}
	}
	worth := float64(saves) / bytesPerCore
	least, most := k.Lists*one, (k.Lists*float64(k.Objects)+k.Events)*one
	switch {
	case most <= worth:
		return Advice{Storage: Packed, Saves: saves, Change: true, Why: fmt.Sprintf(
			"lists and handlers would decode for %s at most; fits with less than %.0f single reads per second, which are not counted while it is %s",
			Cores(most), math.Floor((worth-most)/one), now)}
	case least > worth:
		a := Advice{Storage: now, Why: fmt.Sprintf("it is listed %.1f times per second: packed, decoding would take %s or more", k.Lists, Cores(least))}
		if !k.Shared && !k.Unstructured {
			a.Instead = fmt.Sprintf("if the program never writes to what it reads, Shared saves %s", Size(int64((1-sharedToLive)*float64(k.live()))))
		}
		return a
	}
	return Advice{Storage: Unknown, Saves: saves, Why: fmt.Sprintf(
		"packed it would save %s; %.1f lists per second would decode for %s to %s: store it packed in one replica, and ask that",
		Size(saves), k.Lists, Cores(least), Cores(most))}
}

// Size formats a number of bytes.
func Size(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	unit, v := "B", float64(n)
	for _, next := range []string{"kB", "MB", "GB", "TB"} {
		if v < 1000 {
			break
		}
		unit, v = next, v/1000
	}
	if v >= 1000 || v == math.Trunc(v) {
		return fmt.Sprintf("%s%.0f %s", sign, v, unit)
	}
	return fmt.Sprintf("%s%.3g %s", sign, v, unit)
}

// Cores formats processor time per second.
func Cores(n float64) string {
	if n < 0.9995 {
		return fmt.Sprintf("%.2g %% of a core", 100*n)
	}
	return fmt.Sprintf("%.1f cores", n)
}

func seconds(n float64) string { return (time.Duration(n) * time.Second).String() }
