package api

import (
	"reflect"
	"testing"
)

// TestDeepCopySharesNothing fills all fields: one that is added and forgotten in DeepCopyInto fails here.
func TestDeepCopySharesNothing(t *testing.T) {
	checkCopy(t, (*Config).DeepCopy)
	checkCopy(t, (*Preferences).DeepCopy)
	checkCopy(t, (*Cluster).DeepCopy)
	checkCopy(t, (*AuthInfo).DeepCopy)
	checkCopy(t, (*Context).DeepCopy)
	checkCopy(t, (*AuthProviderConfig).DeepCopy)
	checkCopy(t, (*ExecConfig).DeepCopy)
	checkCopy(t, (*ExecEnvVar).DeepCopy)
	checkCopy(t, (*PluginPolicy).DeepCopy)
	checkCopy(t, (*AllowlistEntry).DeepCopy)
	checkCopy(t, func(c *Config) *Config {
		object, _ := c.DeepCopyObject().(*Config)
		return object
	})
	if (*Config)(nil).DeepCopyObject() != nil {
		t.Error("the copy of no Config is an object that is not nil")
	}
}

func checkCopy[T any](t *testing.T, deepCopy func(*T) *T) {
	t.Helper()
	in := filled[T](t, "x")
	out := deepCopy(in)
	if !reflect.DeepEqual(in, out) {
		t.Errorf("%T: the copy differs", *in)
	}
	shared(t, reflect.TypeFor[T]().Name(), reflect.ValueOf(in), reflect.ValueOf(out))
	if deepCopy(nil) != nil {
		t.Errorf("%T: the copy of nil is not nil", *in)
	}
	if zero := deepCopy(new(T)); !reflect.ValueOf(zero).Elem().IsZero() {
		t.Errorf("%T: the copy of an empty one has something in it", *in)
	}
}

func shared(t *testing.T, path string, a, b reflect.Value) {
	t.Helper()
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if a.UnsafePointer() == b.UnsafePointer() {
			t.Errorf("%s is shared", path)
		}
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		shared(t, path, a.Elem(), b.Elem())
	case reflect.Slice:
		for i := range a.Len() {
			shared(t, path+"[]", a.Index(i), b.Index(i))
		}
	case reflect.Map:
		for _, key := range a.MapKeys() {
			shared(t, path+"[]", a.MapIndex(key), b.MapIndex(key))
		}
	case reflect.Struct:
		for i := range a.NumField() {
			shared(t, path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	}
}
