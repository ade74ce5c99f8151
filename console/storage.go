//go:build !vedette_noconsole

package console

import (
	"encoding/json"
	"time"

	"vedette.dev/internal/advice"
)

// maxCallers is the number of callers shown.
const maxCallers = 5

// storageData is the data of the view of how objects are stored. Its JSON is for 'vedette advise'.
type storageData struct {
	Kinds []storageKind
}

// storageKind is how the objects of one informer are stored, with what fits them.
type storageKind struct {
	advice.Kind
	Advice advice.Advice `json:"advice"`
}

// MarshalJSON returns the kinds in a list that is not null.
func (d *storageData) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"kinds": append([]storageKind{}, d.Kinds...)})
}

func storageOf(r *informerReading, now time.Time) storageKind {
	k := advice.From(r.name, &r.state, now)
	return storageKind{k, advice.Of(k, advice.Enough)}
}

func (p *Page) storageView(query) (any, error) {
	now, _ := p.sampler.look()
	d := &storageData{}
	for i := range now.informers {
		d.Kinds = append(d.Kinds, storageOf(&now.informers[i], now.at))
	}
	return d, nil
}

// Top returns the callers for which most objects are decoded.
func (k storageKind) Top() []advice.Caller { return k.Callers[:min(len(k.Callers), maxCallers)] }

// DecodingCores returns the processor time that decoding takes.
func (k storageKind) DecodingCores() string { return advice.Cores(k.Cores()) }

// Fits names the storage that fits, with its sign.
func (k storageKind) Fits() string {
	switch {
	case k.Advice.Change:
		return "▲ " + k.Advice.Storage
	case k.Advice.Storage == advice.Unknown:
		return "○ " + k.Advice.Storage
	}
	return "✓ " + k.Advice.Storage
}
