package cache

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

// MutationDetector finds out whether someone changes objects that are shared.
type MutationDetector interface {
	// AddObject has an object watched from now on, for some minutes.
	AddObject(obj interface{})
	// Run looks at the objects again and again until the channel is closed, and then once more.
	Run(stopCh <-chan struct{})
}

// MutationDetectorConfig configures a detector. The zero value works.
type MutationDetectorConfig struct {
	// Name is what reports call the cache.
	Name string
	// Period is the time between two looks. Zero means a second.
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

// ObjectMutation is a change that someone made to a shared object.
type ObjectMutation struct {
	Cache  string // the name of the detector
	Key    string
	Type   string   // of the object, as Go writes it
	Fields []string // each with what it was and what it is: Labels["app"]: "a" became "b"
}

func (m ObjectMutation) String() string {
	return fmt.Sprintf("cache %s modified: %s %s, which is shared and must not be changed: %s",
		m.Cache, m.Type, m.Key, strings.Join(m.Fields, "; "))
}

// NewCacheMutationDetector returns a detector that panics. There is no environment variable: who makes one wants it.
func NewCacheMutationDetector(name string) MutationDetector {
	d, _ := NewMutationDetector(MutationDetectorConfig{Name: name}) // nothing in it can be wrong
	return d
}

// NewMutationDetector returns a detector. It keeps a copy of each object, which takes memory and time: it is for tests.
// Who did it, it cannot tell; the race detector often can.
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
	return &detector{config: config, young: map[runtime.Object]runtime.Object{}}, nil
}

type detector struct {
	config MutationDetectorConfig
	mu     sync.Mutex
	// young and old map objects to copies. After Keep the old are forgotten and the young become old, so that each is
	// watched for one to two times Keep.
	young, old map[runtime.Object]runtime.Object
}

func (d *detector) AddObject(obj interface{}) {
	o, ok := obj.(runtime.Object)
	if v := reflect.ValueOf(obj); !ok || v.Kind() != reflect.Pointer || v.IsNil() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.young[o] == nil && d.old[o] == nil {
		d.young[o] = o.DeepCopyObject()
	}
}

func (d *detector) Run(stopCh <-chan struct{}) {
	tick := time.NewTicker(d.config.Period)
	defer tick.Stop()
	rotated := time.Now()
	for {
		select {
		case <-stopCh:
			d.look()
			return
		case <-tick.C:
			d.look()
		}
		if time.Since(rotated) >= d.config.Keep {
			d.rotate()
			rotated = time.Now()
		}
	}
}

func (d *detector) rotate() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.old, d.young = d.young, map[runtime.Object]runtime.Object{}
}

// look compares all objects with their copies and reports outside of the lock.
func (d *detector) look() {
	for _, m := range d.changed() {
		d.config.Report(m)
	}
}

func (d *detector) changed() (found []ObjectMutation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, watched := range []map[runtime.Object]runtime.Object{d.young, d.old} {
		for obj, before := range watched {
			if reflect.DeepEqual(before, obj) {
				continue
			}
			key, err := MetaNamespaceKeyFunc(before)
			if err != nil {
				key = "(" + err.Error() + ")"
			}
			found = append(found, ObjectMutation{
				Cache: d.config.Name, Key: key, Type: fmt.Sprintf("%T", obj), Fields: changedFields(before, obj),
			})
			watched[obj] = obj.DeepCopyObject()
		}
	}
	return found
}
