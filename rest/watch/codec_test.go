package watch_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"

	restwatch "vedette.dev/rest/watch"
)

func TestRoundTrip(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	codecs := serializer.NewCodecFactory(scheme).WithoutConversion()
	for _, info := range codecs.SupportedMediaTypes() {
		if info.StreamSerializer == nil {
			continue
		}
		t.Run(info.MediaType, func(t *testing.T) {
			var buffer bytes.Buffer
			object := codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion)
			encoder := restwatch.NewEncoder(streaming.NewEncoder(info.StreamSerializer.Framer.NewFrameWriter(&buffer), info.StreamSerializer.Serializer), object)
			for _, typ := range []watch.EventType{watch.Added, watch.Deleted, "EXPLODED"} {
				event := watch.Event{Type: typ, Object: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}}
				if err := encoder.Encode(&event); err != nil {
					t.Fatal(err)
				}
			}
			stream := streaming.NewDecoder(info.StreamSerializer.Framer.NewFrameReader(io.NopCloser(&buffer)), info.StreamSerializer.Serializer)
			decoder := restwatch.NewDecoder(stream, codecs.DecoderToVersion(info.Serializer, corev1.SchemeGroupVersion))
			defer decoder.Close()
			for _, want := range []watch.EventType{watch.Added, watch.Deleted} {
				typ, obj, err := decoder.Decode()
				if p, ok := obj.(*corev1.Pod); err != nil || typ != want || !ok || p.Name != "p" {
					t.Fatalf("%s %T, %v", typ, obj, err)
				}
			}
			if _, _, err := decoder.Decode(); err == nil || !strings.Contains(err.Error(), "EXPLODED") {
				t.Errorf("unknown type: %v", err)
			}
			if _, _, err := decoder.Decode(); err != io.EOF {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}
