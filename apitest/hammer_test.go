package apitest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	"vedette.dev/rest"
)

// Writers come and go at the same few objects while watchers with different wishes look on. Each watcher must see every
// version in order, what it sees must fit together, and in the end it must have what the server has.
func TestHammer(t *testing.T) {
	for name, config := range ways {
		t.Run(name, func(t *testing.T) {
			server := apitest.New(t, config)
			for _, media := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
				restConfig := server.RESTConfig()
				restConfig.ContentType = media
				hammer(t, server, clientset(t, restConfig))
			}
		})
	}
}

func hammer(t *testing.T, server *apitest.Server, client *kubernetes.Clientset) {
	const writers, watchers, rounds = 4, 12, 60
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begin := server.ResourceVersion()
	var looking, writing sync.WaitGroup
	last := "last-" + begin // the name of a last object that all of them can see
	for i := range watchers {
		opts := metav1.ListOptions{ResourceVersion: begin}
		if i%3 == 1 {
			opts.LabelSelector = "odd=true"
		}
		if i%3 == 2 {
			opts = metav1.ListOptions{} // from now on, with what is there
		}
		looking.Go(func() {
			if err := follow(ctx, client, opts, last); err != nil {
				t.Errorf("watcher %d: %v", i, err)
			}
		})
	}
	for range writers {
		writing.Go(func() {
			for range rounds {
				if err := scribble(ctx, client, fmt.Sprintf("m%d", rand.N(5))); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	_, err := client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: last, Labels: map[string]string{"odd": "true"}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	looking.Wait()
}

// scribble creates, changes or deletes an object.
func scribble(ctx context.Context, client *kubernetes.Clientset, name string) error {
	maps := client.CoreV1().ConfigMaps("default")
	labels := map[string]string{"odd": strconv.FormatBool(rand.N(2) == 1)}
	var err error
	switch rand.N(4) {
	case 0:
		err = maps.Delete(ctx, name, metav1.DeleteOptions{})
	case 1:
		_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, metav1.CreateOptions{})
	default:
		var m *corev1.ConfigMap
		if m, err = maps.Get(ctx, name, metav1.GetOptions{}); err == nil {
			m.Labels, m.Data = labels, map[string]string{"n": strconv.Itoa(rand.N(1000))}
			_, err = maps.Update(ctx, m, metav1.UpdateOptions{})
		}
	}
	if apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// follow keeps what a watch tells until the last object, and compares it with a list.
func follow(ctx context.Context, client *kubernetes.Clientset, opts metav1.ListOptions, last string) error {
	maps := client.CoreV1().ConfigMaps("default")
	state := map[string]string{}
	if opts.ResourceVersion != "" {
		before, err := maps.List(ctx, metav1.ListOptions{LabelSelector: opts.LabelSelector, ResourceVersion: opts.ResourceVersion,
			ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		if err != nil {
			return err
		}
		for _, m := range before.Items {
			state[m.Name] = m.ResourceVersion
		}
	}
	request := client.CoreV1().RESTClient().Get().Namespace("default").Resource("configmaps").
		VersionedParams(&metav1.ListOptions{Watch: true, ResourceVersion: opts.ResourceVersion, LabelSelector: opts.LabelSelector}, scheme.ParameterCodec)
	frames, err := request.Frames(ctx)
	if err != nil {
		return err
	}
	defer frames.Close()
	initial := opts.ResourceVersion == ""
	var newest uint64
	for {
		frame, err := frames.Next()
		if err != nil {
			return err
		}
		if err := apply(state, frame, &newest, initial); err != nil {
			return err
		}
		if version, ok := state[last]; ok {
			return compare(ctx, client, opts.LabelSelector, version, state)
		}
	}
}

func apply(state map[string]string, frame *rest.Frame, newest *uint64, initial bool) error {
	if err := frame.Err(); err != nil {
		return err
	}
	var m corev1.ConfigMap
	if err := frame.Object.Into(&m); err != nil {
		return err
	}
	version, err := strconv.ParseUint(m.ResourceVersion, 10, 64)
	if err != nil {
		return err
	}
	_, known := state[m.Name]
	switch {
	case version <= *newest && !initial:
		return fmt.Errorf("%d after %d", version, *newest)
	case known != (frame.Type != watch.Added):
		return fmt.Errorf("%s of %s, which is known: %v", frame.Type, m.Name, known)
	case frame.Type == watch.Deleted:
		delete(state, m.Name)
	default:
		state[m.Name] = m.ResourceVersion
	}
	*newest = version
	return nil
}

func compare(ctx context.Context, client *kubernetes.Clientset, labels, version string, state map[string]string) error {
	list, err := client.CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{LabelSelector: labels, ResourceVersion: version,
		ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	if err != nil {
		return err
	}
	if len(list.Items) != len(state) {
		return fmt.Errorf("the server has %d objects, and the watcher %d", len(list.Items), len(state))
	}
	for _, m := range list.Items {
		if state[m.Name] != m.ResourceVersion {
			return fmt.Errorf("%s: the server has %s, and the watcher %s", m.Name, m.ResourceVersion, state[m.Name])
		}
	}
	return nil
}
