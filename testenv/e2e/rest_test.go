package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/kubernetes/scheme"
	"vedette.dev/rest"
)

// coreClient is a RESTClient as the samples make one.
func coreClient(t testing.TB, change func(*rest.Config)) *rest.RESTClient {
	t.Helper()
	config := adminConfig(t)
	config.APIPath = "/api"
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	if change != nil {
		change(config)
	}
	client, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Client.CloseIdleConnections)
	return client
}

func inProtobuf(c *rest.Config) { c.ContentType = "application/vnd.kubernetes.protobuf" }
func inJSON(c *rest.Config)     { c.ContentType = "application/json" }

// TestRESTClient is the usual sample program.
func TestRESTClient(t *testing.T) {
	ns := newNamespace(t, newClientset(t))
	for name, encoding := range map[string]func(*rest.Config){"json": inJSON, "protobuf": inProtobuf} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			client := coreClient(t, encoding)
			pod := &corev1.Pod{}
			if err := client.Post().Namespace(ns).Resource("pods").Body(newPod(name, map[string]string{"app": name})).Do(ctx).Into(pod); err != nil {
				t.Fatal(err)
			}
			if pod.UID == "" || pod.Name != name {
				t.Fatalf("created %+v", pod.ObjectMeta)
			}
			pod.Labels["more"] = "yes"
			if err := client.Put().Namespace(ns).Resource("pods").Name(name).Body(pod).Do(ctx).Into(pod); err != nil {
				t.Fatal(err)
			}
			pod.Status.Phase = corev1.PodRunning
			if err := client.Put().Namespace(ns).Resource("pods").Name(name).SubResource("status").Body(pod).Do(ctx).Into(pod); err != nil {
				t.Fatal(err)
			}
			got := &corev1.Pod{}
			if err := client.Get().Namespace(ns).Resource("pods").Name(name).Do(ctx).Into(got); err != nil || got.Status.Phase != corev1.PodRunning || got.Labels["more"] != "yes" {
				t.Fatalf("%+v, %v", got, err)
			}
			list := &corev1.PodList{}
			err := client.Get().Namespace(ns).Resource("pods").VersionedParams(&metav1.ListOptions{Limit: 100}, scheme.ParameterCodec).
				Param("labelSelector", "app="+name).Do(ctx).Into(list)
			if err != nil || len(list.Items) != 1 || list.Items[0].Name != name {
				t.Fatalf("%d items, %v", len(list.Items), err)
			}
			patched, err := client.Patch(types.MergePatchType).Namespace(ns).Resource("pods").Name(name).
				Body([]byte(`{"metadata":{"labels":{"patched":"yes"}}}`)).Do(ctx).Get()
			if p, ok := patched.(*corev1.Pod); err != nil || !ok || p.Labels["patched"] != "yes" {
				t.Fatalf("%v, %v", patched, err)
			}
			if err := client.Delete().Namespace(ns).Resource("pods").Name(name).Body(metav1.NewDeleteOptions(0)).Do(ctx).Error(); err != nil {
				t.Fatal(err)
			}
			err = client.Get().Namespace(ns).Resource("pods").Name(name).Do(ctx).Error()
			if !apierrors.IsNotFound(err) {
				t.Errorf("after the deletion: %v", err)
			}
		})
	}
}

// The raw list and watch see what the whole list and the decoded watch see.
func TestItemsAndFrames(t *testing.T) {
	clientset := newClientset(t)
	ns := newNamespace(t, clientset)
	const n = 25
	createPods(t, clientset, ns, n)
	for name, encoding := range map[string]func(*rest.Config){"json": inJSON, "protobuf": inProtobuf} {
		t.Run(name, func(t *testing.T) {
			client := coreClient(t, encoding)
			whole := &corev1.PodList{}
			if err := client.Get().Namespace(ns).Resource("pods").Do(t.Context()).Into(whole); err != nil {
				t.Fatal(err)
			}
			version := readPages(t, client, ns, whole)
			readFrames(t, client, ns, version)
		})
	}
}

// readPages reads the list in pages of ten, and compares it with the whole.
func readPages(t *testing.T, client *rest.RESTClient, ns string, whole *corev1.PodList) string {
	t.Helper()
	opts := metav1.ListOptions{Limit: 10}
	n := 0
	for {
		items, err := client.Get().Namespace(ns).Resource("pods").VersionedParams(&opts, scheme.ParameterCodec).Items(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for item, err := range items.All() {
			if err != nil {
				t.Fatal(err)
			}
			want := &whole.Items[n]
			meta, err := item.Meta()
			if err != nil || meta.Name != want.Name || meta.Namespace != ns || meta.UID != want.UID || meta.ResourceVersion != want.ResourceVersion {
				t.Fatalf("item %d: %+v, %v", n, meta, err)
			}
			labels, err := item.Labels()
			var pod corev1.Pod
			if decodeErr := item.Into(&pod); err != nil || decodeErr != nil || labels["odd"] != want.Labels["odd"] || pod.Spec.Containers[0].Image != want.Spec.Containers[0].Image {
				t.Fatalf("item %d: %v, %v, %v", n, labels, err, decodeErr)
			}
			n++
		}
		meta, err := items.ListMeta()
		if err != nil || meta.ResourceVersion == "" {
			t.Fatalf("%+v, %v", meta, err)
		}
		items.Close()
		if opts.Continue = meta.Continue; opts.Continue == "" {
			if n != len(whole.Items) {
				t.Fatalf("%d items, want %d", n, len(whole.Items))
			}
			return whole.ResourceVersion
		}
	}
}

// readFrames hears of a pod that comes, changes and goes, and of a bookmark.
func readFrames(t *testing.T, client *rest.RESTClient, ns, version string) {
	t.Helper()
	ctx := within(t, time.Minute)
	opts := metav1.ListOptions{ResourceVersion: version, Watch: true, AllowWatchBookmarks: true}
	frames, err := client.Get().Namespace(ns).Resource("pods").VersionedParams(&opts, scheme.ParameterCodec).Frames(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer frames.Close()
	clientset := newClientset(t)
	pod, err := clientset.CoreV1().Pods(ns).Create(ctx, newPod("watched", nil), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pod.Labels = map[string]string{"a": "b"}
	if _, err := clientset.CoreV1().Pods(ns).Update(ctx, pod, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := clientset.CoreV1().Pods(ns).Delete(ctx, "watched", *metav1.NewDeleteOptions(0)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		frame, err := frames.Next()
		if err != nil {
			t.Fatal(err)
		}
		// The server marks a pod as being deleted before it deletes it.
		for err == nil && (frame.Type == watch.Bookmark || want == watch.Deleted && frame.Type == watch.Modified) {
			frame, err = frames.Next()
		}
		if err != nil {
			t.Fatal(err)
		}
		meta, metaErr := frame.Object.Meta()
		if err != nil || metaErr != nil || frame.Type != want || meta.Key() != ns+"/watched" || meta.UID != pod.UID || frame.Object.Kind != "Pod" {
			t.Fatalf("%s %+v, %v, %v; want %s", frame.Type, meta, err, metaErr, want)
		}
	}
}

// A streaming list: initial events, then the bookmark that says that they are all there.
func TestStreamingList(t *testing.T) {
	clientset := newClientset(t)
	ns := newNamespace(t, clientset)
	createPods(t, clientset, ns, 7)
	yes := true
	opts := metav1.ListOptions{Watch: true, SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
	frames, err := coreClient(t, inProtobuf).Get().Namespace(ns).Resource("pods").VersionedParams(&opts, scheme.ParameterCodec).Frames(within(t, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer frames.Close()
	for n := 0; ; n++ {
		frame, err := frames.Next()
		if err != nil {
			t.Fatal(err)
		}
		if frame.Type == watch.Added {
			continue
		}
		annotations, err := frame.Object.Annotations()
		if err != nil || n != 7 || frame.Type != watch.Bookmark || annotations[metav1.InitialEventsAnnotationKey] != "true" {
			t.Errorf("after %d events: %s with %v, %v", n, frame.Type, annotations, err)
		}
		return
	}
}

// The server's errors come through as what they are.
func TestServerErrors(t *testing.T) {
	ctx := t.Context()
	client := coreClient(t, nil)
	ns := newNamespace(t, newClientset(t))
	get := func() *rest.Request { return client.Get().Namespace(ns).Resource("pods") }
	if err := get().Param("continue", "hostile&limit=0\x00").Param("limit", "1").Do(ctx).Error(); !apierrors.IsBadRequest(err) {
		t.Errorf("a hostile continue token: %v", err)
	}
	if err := get().Param("labelSelector", "a in (").Do(ctx).Error(); !apierrors.IsBadRequest(err) {
		t.Errorf("a bad selector: %v", err)
	}
	if err := client.Get().Namespace(ns).Resource("nonsense").Do(ctx).Error(); !apierrors.IsNotFound(err) {
		t.Errorf("an unknown resource: %v", err)
	}
	_, err := get().Param("watch", "true").Param("resourceVersion", "x").Watch(ctx)
	wantError(t, err, `Invalid value: "x"`)
	err = client.Post().Namespace(ns).Resource("pods").Body(newPod("Not A Name", nil)).Do(ctx).Error()
	if !apierrors.IsInvalid(err) {
		t.Errorf("a bad name: %v", err)
	}
	err = client.Post().Namespace(ns).Resource("pods").Body([]byte("{")).SetHeader("Content-Type", "application/json").Do(ctx).Error()
	if !apierrors.IsBadRequest(err) {
		t.Errorf("a broken body: %v", err)
	}
	var code int
	err = client.Verb("BREW").AbsPath("/api").Do(ctx).StatusCode(&code).Error()
	if err == nil || code != http.StatusMethodNotAllowed && code < 400 {
		t.Errorf("an unknown method: %d, %v", code, err)
	}
	err = get().SetHeader("Accept", "text/html").Do(ctx).Error()
	if !apierrors.IsNotAcceptable(err) {
		t.Errorf("a form that the server does not have: %v", err)
	}
	anonymous := coreClient(t, func(c *rest.Config) { *c = *withCore(rest.AnonymousClientConfig(c)) })
	if err := anonymous.Get().Namespace(ns).Resource("pods").Do(ctx).Error(); !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) {
		t.Errorf("anonymous: %v", err)
	}
	wrong := coreClient(t, func(c *rest.Config) { c.BearerToken = "wrong-token" })
	err = wrong.Get().Namespace(ns).Resource("pods").Do(ctx).Error()
	if !apierrors.IsUnauthorized(err) || strings.Contains(err.Error(), "wrong-token") {
		t.Errorf("a wrong token: %v", err)
	}
}

func withCore(c *rest.Config) *rest.Config {
	c.APIPath, c.GroupVersion, c.NegotiatedSerializer = "/api", &corev1.SchemeGroupVersion, scheme.Codecs.WithoutConversion()
	return c
}

// Impersonation is what the server makes of it.
func TestImpersonation(t *testing.T) {
	client := coreClient(t, func(c *rest.Config) {
		c.Impersonate = rest.ImpersonationConfig{UserName: "nobody@example.com", Groups: []string{"nothing"}, Extra: map[string][]string{"Reason/Why": {"a b"}}}
	})
	err := client.Get().Namespace("default").Resource("secrets").Do(t.Context()).Error()
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "nobody@example.com") {
		t.Errorf("%v", err)
	}
}

// Plain text, streamed and whole.
func TestRawPaths(t *testing.T) {
	client := coreClient(t, nil)
	data, err := client.Get().AbsPath("/readyz").DoRaw(t.Context())
	if err != nil || string(data) != "ok" {
		t.Errorf("%q, %v", data, err)
	}
	stream, err := client.Get().RequestURI("/livez?verbose").Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	data, err = io.ReadAll(stream)
	if err != nil || !strings.Contains(string(data), "livez check passed") {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := client.Get().AbsPath("/nowhere").Stream(t.Context()); !apierrors.IsNotFound(err) {
		t.Errorf("%v", err)
	}
}

// A watch in which nothing happens ends with its context, with the frames closed under it.
func TestWatchEnds(t *testing.T) {
	client := coreClient(t, inProtobuf)
	frames, err := client.Get().Namespace("default").Resource("pods").Param("watch", "true").Param("resourceVersion", "0").Frames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := frames.Next()
		for err == nil {
			_, err = frames.Next()
		}
		done <- err
	}()
	frames.Close()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("Next does not return")
	}
}
