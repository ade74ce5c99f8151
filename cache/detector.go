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
)

// MutationDetector finds out whether a program writes to objects of a store. An informer that has one takes over nothing of one state of
// an object into the next, and shares no parts between objects: then what was written was written to one state of one object. One
// detector may serve many informers.
type MutationDetector interface {
	// AddObject has an object watched from now on, for some minutes.
	AddObject(obj interface{})
	// Run looks at the objects again and again until the channel is closed, and then once more. Each informer calls it.
	Run(stopCh <-chan struct{})
}

// MutationDetectorConfig configures a detector. The zero value works.
type MutationDetectorConfig struct {
	// Name is what reports call the cache.
	Name string
	// Period is the time between two checks. Zero means a second.
	Period time.Duration
	// Keep is for how long, at least, an object is watched. Zero means two minutes.
	Keep time.Duration
	// Report is called for each object that was changed, once a change. Nil means a panic that says the same.
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

// ObjectMutation is a change that the program made to a shared object.
type ObjectMutation struct {
	Cache  string // the name of the detector
	Key    string
	Type   string   // of the object, as Go writes it
	Fields []string // each with what it was and what it is: Labels["app"]: "a" became "b"
	// LastReader is the file and line that read the object last from the store of an informer. It need not be what has written to
	// it. It is empty if the object was not read from there: then an event handler may have written to it.
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

// NewCacheMutationDetector returns a detector that panics. There is no environment variable: who makes one wants it.
func NewCacheMutationDetector(name string) MutationDetector {
	d, _ := NewMutationDetector(MutationDetectorConfig{Name: name}) // nothing in it can be wrong
	return d
}

// NewMutationDetector returns a detector. It keeps a copy of each object, which takes memory and time: it is for tests.
// It cannot tell what has written to an object, only what has read it last; the race detector often can.
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
	// After Keep the old are forgotten and the young become old, so that each is watched for one to two times Keep.
	young, old map[runtime.Object]*watchedObject
	// looked and rotated are when that was done last. Several informers may run the detector.
	looked, rotated time.Time
}

// watchedObject is what is known of an object.
type watchedObject struct {
	before runtime.Object // a copy
	reader string         // who read it last
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

// read is the decoder of a store: it notes who reads an object.
func (d *detector) read(obj any) (any, error) {
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

// look compares all objects with their copies and reports outside of the lock. If another informer has just had that done, it
// does nothing, unless it is to be done in any case.
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

// rotate forgets the old objects, if it is time.
func (d *detector) rotate(now time.Time) {
	if d.rotated.IsZero() {
		d.rotated = now
	}
	if now.Sub(d.rotated) >= d.config.Keep {
		d.old, d.young, d.rotated = d.young, map[runtime.Object]*watchedObject{}, now
	}
}
