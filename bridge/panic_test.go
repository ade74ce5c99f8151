package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/bridge"
	"vedette.dev/cache"
)

// panicsIn is the environment variable that makes TestAPanicEndsTheProcess the process that ends. Its value is the call that panics.
const panicsIn = "BRIDGE_TEST_PANICS_IN"

// withPanics runs an informer that adds, updates and deletes an object, and adds another one. Its handler panics in the calls that are
// named, and then sends the name of each call.
func withPanics(t *testing.T, options bridge.Options, in ...string) (clientgocache.SharedIndexInformer, <-chan string) {
	t.Helper()
	source := watch.NewFakeWithOptions(watch.FakeOptions{ChannelSize: 4})
	informer := options.NewInformer(hiding{&clientgocache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			return &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
		},
		WatchFuncWithContext: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return source, nil },
	}}, &corev1.ConfigMap{}, 0, nil)
	calls := make(chan string, 4)
	call := func(name string) {
		calls <- name
		for _, n := range in {
			if n == name {
				panic("boom in " + name)
			}
		}
	}
	_ = must[clientgocache.ResourceEventHandlerRegistration](t)(informer.AddEventHandler(clientgocache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) {
			if obj.(*corev1.ConfigMap).Name == "last" {
				calls <- "last"
				return
			}
			call("add")
		},
		UpdateFunc: func(any, any) { call("update") },
		DeleteFunc: func(any) { call("delete") },
	}))
	run(t, informer)
	version := func(name, version string) *corev1.ConfigMap {
		m := configMap(name, version)
		m.UID, m.ResourceVersion = "u", version
		return m
	}
	// One by one, so that changes of the object are not combined.
	source.Add(version("a", "2"))
	expectCall(t, calls, "add")
	source.Modify(version("a", "3"))
	expectCall(t, calls, "update")
	source.Delete(version("a", "4"))
	expectCall(t, calls, "delete")
	source.Add(version("last", "5"))
	return informer, calls
}

func expectCall(t *testing.T, calls <-chan string, want string) {
	t.Helper()
	select {
	case got := <-calls:
		if got != want {
			t.Fatalf("the handler was called for %q, want %q", got, want)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("the handler was not called for %q", want)
	}
}

func TestAPanicIsSkippedAndCounted(t *testing.T) {
	informer, calls := withPanics(t, bridge.Options{Handlers: bridge.LikeVedette}, "add", "update", "delete")
	expectCall(t, calls, "last")
	eventually(t, "end of the last call", func() bool { return stateOf(t, informer).Handlers[0].Waiting == 0 })
	if state := stateOf(t, informer).Handlers[0]; state.Panics != 3 || !strings.HasSuffix(state.LastPanic, "boom in delete") {
		t.Errorf("the state has %d panics, the last %q, want 3 and that of the deletion", state.Panics, state.LastPanic)
	}
}

// TestAPanicEndsTheProcess runs itself in a process for each call that can panic.
func TestAPanicEndsTheProcess(t *testing.T) {
	if in := os.Getenv(panicsIn); in != "" {
		utilruntime.PanicHandlers = append(utilruntime.PanicHandlers, func(_ context.Context, value any) { fmt.Println("crash handler:", value) })
		_, calls := withPanics(t, bridge.Options{}, in)
		expectCall(t, calls, "last")
		fmt.Println("survived")
		return
	}
	for _, in := range []string{"add", "update", "delete"} {
		t.Run(in, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAPanicEndsTheProcess$", "-test.timeout=1m")
			cmd.Env = append(os.Environ(), panicsIn+"="+in)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || strings.Contains(string(out), "survived") || strings.Contains(string(out), "--- FAIL") {
				t.Fatalf("the process has ended with %v, and not with the panic:\n%s", err, out)
			}
			for _, want := range []string{"panic: boom in " + in, "crash handler: boom in " + in} {
				if !strings.Contains(string(out), want) {
					t.Errorf("the process did not print %q:\n%s", want, out)
				}
			}
		})
	}
}

// TestAStorageThatDoesNotFit has options that are not checked with Validate first.
func TestAStorageThatDoesNotFit(t *testing.T) {
	storages := map[string]cache.Storage{"no field spec": {Keep: []string{"spec.nodeName"}}, "Storage.Shared and Storage.Packed": {Packed: true, Shared: true}}
	widget := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Widget"}}
	for problem, storage := range storages {
		for kind, obj := range map[string]runtime.Object{"core/v1.ConfigMap": &corev1.ConfigMap{}, "example.com/v1.Widget (metadata)": widget} {
			options := bridge.Options{StorageFor: map[runtime.Object]cache.Storage{obj: storage}}
			for name, newInformer := range map[string]func(clientgocache.ListerWatcher, runtime.Object, time.Duration, clientgocache.Indexers) clientgocache.SharedIndexInformer{
				"NewInformer": options.NewInformer, "NewRawInformer": options.NewRawInformer,
			} {
				message := func() (message string) {
					defer func() { message = fmt.Sprint(recover()) }()
					newInformer(&clientgocache.ListWatch{}, obj, 0, nil)
					return ""
				}()
				for _, want := range []string{"bridge: the storage of " + kind, problem} {
					if !strings.Contains(message, want) {
						t.Errorf("%s of %s: it panics with %q, want one with %q", name, kind, message, want)
					}
				}
			}
		}
	}
}
