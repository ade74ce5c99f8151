package cache

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/listwatch"
	"vedette.dev/internal/objdiff"
	"vedette.dev/internal/object"
)

// MutationDetector detects writes to objects of a store. An informer with a detector reuses nothing of an object's
// previous state and shares no parts between objects, so that a write affects one state of one object. One detector may
// serve many informers.
type MutationDetector interface {
	// AddObject watches an object from now on, for some minutes.
	AddObject(obj interface{})
	// Run checks the objects periodically until the channel is closed, and then once more. Each informer calls it.
	Run(stopCh <-chan struct{})
}

// MutationDetectorConfig configures a detector. The zero value works.
type MutationDetectorConfig struct {
	// Name is the name of the cache in reports.
	Name string
	// Period is the time between two checks. Zero means a second.
	Period time.Duration
	// Keep is how long an object is watched at least. Zero means two minutes.
	Keep time.Duration
	// Report is called for each mutated object, once per change. Nil means a panic with the same text.
	Report func(ObjectMutation)
}

func (c *MutationDetectorConfig) validate() error {
	switch {
	case c.Period < 0:
		return fmt.Errorf("cache: MutationDetectorConfig.Period is %v, want 0 or more", c.Period)
	case c.Keep < 0:
		return fmt.Errorf("cache: MutationDetectorConfig.Keep is %v, want 0 or more", c.Keep)
	}
	return nil
}

// ObjectMutation is a write to a shared object.
type ObjectMutation struct {
	Cache  string // the name of the detector
	Key    string
	Type   string   // of the object, as Go writes it
	Fields []string // each with old and new value: Labels["app"]: "a" became "b"
	// LastReader is the file and line that last read the object from the store of an informer. It need not be the code
	// that wrote to it. It is empty if the object was not read from there: then an event handler may have written to
	// it.
	LastReader string
}

func (m ObjectMutation) String() string {
	reader := "not read from the store"
	if m.LastReader != "" {
		reader = "last read by " + m.LastReader
	}
	return fmt.Sprintf("cache %s modified: %s %s, which is shared and must not be changed (%s): %s",
		m.Cache, m.Type, m.Key, reader, strings.Join(m.Fields, "; "))
}

// NewCacheMutationDetector returns a detector that panics. Unlike client-go's, it does not depend on an environment
// variable.
func NewCacheMutationDetector(name string) MutationDetector {
	d, _ := NewMutationDetector(MutationDetectorConfig{Name: name}) // this config is valid
	return d
}

// NewMutationDetector returns a detector. It keeps a copy of each object, which takes memory and time: it is for tests.
// It does not know which code has written to an object, only which has read it last; the race detector often does.
func NewMutationDetector(config MutationDetectorConfig) (MutationDetector, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	if config.Period == 0 {
		config.Period = time.Second
	}
	if config.Keep == 0 {
		config.Keep = 2 * time.Minute
	}
	if config.Report == nil {
		config.Report = func(m ObjectMutation) { panic(m.String()) }
	}
	return &detector{config: config, young: map[runtime.Object]*watchedObject{}}, nil
}

type detector struct {
	config MutationDetectorConfig
	mu     sync.Mutex
	// After Keep the old ones are dropped and the young ones become old, so that each is watched for one to two times
	// Keep.
	young, old map[runtime.Object]*watchedObject
	// looked and rotated are when that was last done. Several informers may run the detector.
	looked, rotated time.Time
}

// watchedObject is an object that is watched.
type watchedObject struct {
	before runtime.Object // a copy
	reader string         // last reader
}

func (d *detector) AddObject(obj interface{}) {
	o, ok := obj.(runtime.Object)
	if v := reflect.ValueOf(obj); !ok || v.Kind() != reflect.Pointer || v.IsNil() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.find(o) == nil {
		d.young[o] = &watchedObject{before: o.DeepCopyObject()}
	}
}

func (d *detector) find(o runtime.Object) *watchedObject {
	if w := d.young[o]; w != nil {
		return w
	}
	return d.old[o]
}

// read is the decoder of a store: it records the reader of an object.
func (d *detector) read(obj any, _ object.Use) (any, error) {
	if o, ok := obj.(runtime.Object); ok && reflect.TypeOf(obj).Comparable() {
		reader := listwatch.CallSite()
		d.mu.Lock()
		defer d.mu.Unlock()
		if w := d.find(o); w != nil {
			w.reader = reader
		}
	}
	return obj, nil
}

func (d *detector) Run(stopCh <-chan struct{}) {
	tick := time.NewTicker(d.config.Period)
	defer tick.Stop()
	for {
		select {
		case <-stopCh:
			d.look(true)
			return
		case <-tick.C:
			d.look(false)
		}
	}
}

// look compares all objects with their copies and reports outside of the lock. If another informer has just done that,
// it does nothing, unless always is set.
func (d *detector) look(always bool) {
	for _, m := range d.changed(always) {
		d.config.Report(m)
	}
}

func (d *detector) changed(always bool) (found []ObjectMutation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if !always && now.Sub(d.looked) < d.config.Period/2 {
		return nil
	}
	d.looked = now
	for _, watched := range []map[runtime.Object]*watchedObject{d.young, d.old} {
		for obj, w := range watched {
			if reflect.DeepEqual(w.before, obj) {
				continue
			}
			key, err := MetaNamespaceKeyFunc(w.before)
			if err != nil {
				key = "(" + err.Error() + ")"
			}
			found = append(found, ObjectMutation{
				Cache: d.config.Name, Key: key, Type: fmt.Sprintf("%T", obj), Fields: objdiff.Values(w.before, obj), LastReader: w.reader,
			})
			w.before = obj.DeepCopyObject()
		}
	}
	d.rotate(now)
	return found
}

// rotate drops the old objects, if it is due.
func (d *detector) rotate(now time.Time) {
	if d.rotated.IsZero() {
		d.rotated = now
	}
	if now.Sub(d.rotated) >= d.config.Keep {
		d.old, d.young, d.rotated = d.young, map[runtime.Object]*watchedObject{}, now
	}
}
