package kinds

import (
	"encoding/json"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	eventsResource = schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
	scalersV1      = schema.GroupVersionResource{Group: "autoscaling", Version: "v1", Resource: "horizontalpodautoscalers"}
	scalersV2      = schema.GroupVersionResource{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers"}
)

// There and back again, nothing is lost.
func TestConvertRoundTrips(t *testing.T) {
	r := NewRegistry()
	for _, c := range []struct {
		from, through schema.GroupVersionResource
		object        string
	}{
		{schema.GroupVersionResource{Version: "v1", Resource: "events"}, eventsResource, `{"kind":"Event","apiVersion":"v1",
			"metadata":{"name":"e","namespace":"n"},"involvedObject":{"kind":"Pod","name":"p"},"reason":"r","message":"m",
			"source":{"component":"c","host":"h"},"firstTimestamp":"2024-01-01T00:00:00Z","lastTimestamp":"2024-01-02T00:00:00Z",
			"count":3,"type":"Normal","eventTime":"2024-01-01T00:00:00.000001Z","series":{"count":2,"lastObservedTime":
			"2024-01-01T00:00:00.000002Z"},"action":"a","related":{"kind":"Node"},"reportingComponent":"rc","reportingInstance":"ri"}`},
		{scalersV2, scalersV1, `{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2","metadata":{"name":"h",
			"annotations":{"mine":"kept"}},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"},
			"minReplicas":1,"maxReplicas":5,"metrics":[
			{"type":"Pods","pods":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"5"}}},
			{"type":"Object","object":{"describedObject":{"kind":"Pod","name":"p"},"metric":{"name":"m"},"target":{"type":"Value","value":"5"}}},
			{"type":"External","external":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"5"}}},
			{"type":"Resource","resource":{"name":"memory","target":{"type":"AverageValue","averageValue":"5Mi"}}},
			{"type":"ContainerResource","containerResource":{"name":"cpu","container":"c","target":{"type":"Utilization","averageUtilization":5}}},
			{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}],
			"behavior":{"scaleDown":{"stabilizationWindowSeconds":5}}},
			"status":{"observedGeneration":1,"currentReplicas":2,"desiredReplicas":3,"currentMetrics":[
			{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":8,"averageValue":"1m"}}}],
			"conditions":[{"type":"AbleToScale","status":"True","lastTransitionTime":null}]}}`},
	} {
		from, _ := r.Lookup(c.from)
		through, _ := r.Lookup(c.through)
		object := from.New()
		if err := json.Unmarshal([]byte(c.object), object); err != nil {
			t.Fatal(err)
		}
		between := convert(t, r, object, through)
		if gvk := between.GetObjectKind().GroupVersionKind(); gvk != through.GroupVersionKind {
			t.Errorf("it calls itself %v", gvk)
		}
		back := convert(t, r, between, from)
		got, _ := json.Marshal(back)
		want, _ := json.Marshal(object)
		if string(got) != string(want) {
			t.Errorf("\ngot  %s\nwant %s", got, want)
		}
	}
}

func convert(t *testing.T, r *Registry, obj runtime.Object, to *Kind) runtime.Object {
	t.Helper()
	out, err := r.Convert(obj, to)
	if err != nil {
		t.Fatal(err)
	}
	if reflect.TypeOf(out) != reflect.TypeOf(to.New()) {
		t.Fatalf("%T is not a %s", out, to.GroupVersionKind)
	}
	return out
}

func TestEveryKindConvertsToItsStorage(t *testing.T) {
	r := NewRegistryOfAll()
	for _, k := range r.All() {
		stored := r.Storage(k)
		obj := convert(t, r, k.New(), stored)
		convert(t, r, obj, k)
		if !stored.Listed() && k.Listed() {
			t.Errorf("%s is stored as %s", k.Resource(), stored.Resource())
		}
		if k.newList() == nil {
			t.Errorf("%s has no list", k.Resource())
		}
	}
}

func TestCustomVersionsDifferInName(t *testing.T) {
	r := NewRegistry()
	if err := r.SetCRD(widgets(t)); err != nil {
		t.Fatal(err)
	}
	gvr := schema.GroupVersionResource{Group: "example.com", Version: "v1beta1", Resource: "widgets"}
	beta, _ := r.Lookup(gvr)
	stored := r.Storage(beta)
	if stored.Version != "v1" {
		t.Fatalf("stored as %s", stored.Version)
	}
	u := beta.New().(*unstructured.Unstructured)
	u.SetName("w")
	out := convert(t, r, u, stored).(*unstructured.Unstructured)
	if out.GetAPIVersion() != "example.com/v1" || out.GetName() != "w" || u.GetAPIVersion() != "example.com/v1beta1" {
		t.Errorf("got %v from %v", out, u)
	}
}
