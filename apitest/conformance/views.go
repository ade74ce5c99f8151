package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/kubernetes/scheme"
)

const (
	asTable    = "application/json;as=Table;v=v1;g=meta.k8s.io"
	asMetadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
)

var views = []behaviour{
	{"a watch has the same content in JSON and in protobuf", func(e *env) {
		version := e.list(metav1.ListOptions{}).ResourceVersion
		c := e.create(configMap("a", "k", "v"))
		c.Data["k"] = "w"
		e.update(c)
		e.delete("a")
		var seen [2][]string
		var objects [2][]corev1.ConfigMap
		for i, contentType := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
			frames, err := coreClient(e, e.target.Config, contentType).Get().Namespace(e.ns).Resource("configmaps").
				VersionedParams(&metav1.ListOptions{Watch: true, ResourceVersion: version}, scheme.ParameterCodec).Frames(e.ctx)
			e.must(err)
			for range 3 {
				frame, err := frames.Next()
				e.must(err)
				var c corev1.ConfigMap
				e.must(frame.Object.Into(&c))
				c.TypeMeta = metav1.TypeMeta{}
				seen[i], objects[i] = append(seen[i], fmt.Sprint(frame.Type, " ", frame.Object.Encoding)), append(objects[i], c)
			}
			e.must(frames.Close())
		}
		e.equal("in JSON", seen[0], []string{"ADDED JSON", "MODIFIED JSON", "DELETED JSON"})
		if len(seen[1]) != 3 || !equality.Semantic.DeepEqual(objects[0], objects[1]) {
			e.Errorf("%+v in JSON, %+v in protobuf", objects[0], objects[1])
		}
	}},
	{"a watch of metadata tells all events without the content", func(e *env) {
		configMaps := e.meta.Resource(configMapResource).Namespace(e.namespace())
		w, err := configMaps.Watch(e.ctx, metav1.ListOptions{ResourceVersion: e.list(metav1.ListOptions{}).ResourceVersion})
		e.must(err)
		s := e.stream(w)
		c := configMap("a", "k", "v")
		c.Labels = map[string]string{"l": "1"}
		e.create(c)
		e.patch(types.MergePatchType, "a", `{"data":{"k":"w"}}`)
		e.delete("a")
		events := s.expect("ADDED a", "MODIFIED a", "DELETED a")
		e.grows(events)
		if m, ok := events[0].object.(*metav1.PartialObjectMetadata); !ok || m.Labels["l"] != "1" {
			e.Errorf("%+v", events[0].object)
		}
	}},
	{"metadata alone can be read, in JSON and in protobuf", func(e *env) {
		c := e.create(configMap("a", "k", "v"))
		got := e.get(e.configMapsPath()+"/a", "Accept", asMetadata)
		if got["kind"] != "PartialObjectMetadata" || got["apiVersion"] != "meta.k8s.io/v1" || got["data"] != nil || at(got, "metadata", "uid") != string(c.UID) {
			e.Errorf("%v", got)
		}
		m, err := e.meta.Resource(configMapResource).Namespace(e.ns).Get(e.ctx, "a", metav1.GetOptions{})
		e.must(err)
		if m.UID != c.UID || m.ResourceVersion != c.ResourceVersion {
			e.Errorf("%+v", m)
		}
	}},
	{"a list of metadata has the version and the items of the list", func(e *env) {
		e.fill(2)
		got := e.get(e.configMapsPath(), "Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")
		items, _ := got["items"].([]any)
		if got["kind"] != "PartialObjectMetadataList" || len(items) != 2 || at(items[0], "kind") != "PartialObjectMetadata" || at(got, "metadata", "resourceVersion") == nil {
			e.Errorf("%v", got)
		}
		l, err := e.meta.Resource(configMapResource).Namespace(e.ns).List(e.ctx, metav1.ListOptions{LabelSelector: "odd=true"})
		e.must(err)
		if len(l.Items) != 1 || l.Items[0].Name != "c1" || l.ResourceVersion == "" {
			e.Errorf("%+v", l)
		}
	}},
	{"pods have a table with the columns of kubectl", func(e *env) {
		e.createPod(pod("a"))
		table := e.table("/api/v1/namespaces/" + e.ns + "/pods")
		var columns []string
		for _, c := range table.ColumnDefinitions {
			columns = append(columns, fmt.Sprint(c.Name, " ", c.Priority))
		}
		e.equal("columns", columns, []string{"Name 0", "Ready 0", "Status 0", "Restarts 0", "Age 0", "IP 1", "Node 1", "Nominated Node 1", "Readiness Gates 1"})
		if len(table.Rows) != 1 || table.ResourceVersion == "" {
			e.Fatalf("%+v", table)
		}
		if cells := table.Rows[0].Cells; cells[0] != "a" || cells[1] != "0/1" || cells[2] != "Pending" {
			e.Errorf("%v", cells)
		}
		var row metav1.PartialObjectMetadata
		if err := json.Unmarshal(table.Rows[0].Object.Raw, &row); err != nil || row.Kind != "PartialObjectMetadata" || row.Name != "a" {
			e.Errorf("%s, %v", table.Rows[0].Object.Raw, err)
		}
	}},
	{"a row of a table has the object that was asked for", func(e *env) {
		e.create(configMap("a", "k", "v"))
		for include, want := range map[string]any{"None": nil, "Metadata": "PartialObjectMetadata", "Object": "ConfigMap"} {
			got := e.get(e.configMapsPath()+"/a?includeObject="+include, "Accept", asTable)
			rows, _ := got["rows"].([]any)
			if len(rows) != 1 || at(rows[0], "object", "kind") != want {
				e.Errorf("%s: %v", include, rows)
			}
		}
		a := e.ask("GET", e.configMapsPath()+"?includeObject=Odd", "", "Accept", asTable)
		e.refused(a.err, badRequest("must be 'Metadata', 'Object', 'None', or empty"))
	}},
	{"a table can be watched, with columns in the first event", func(e *env) {
		e.fill(2)
		body, err := e.json.Get().AbsPath(e.configMapsPath()).Param("watch", "true").SetHeader("Accept", asTable).Stream(e.ctx)
		e.must(err)
		defer body.Close()
		lines := bufio.NewScanner(body)
		for i := range 2 {
			var event struct {
				Type   string
				Object metav1.Table
			}
			if !lines.Scan() || json.Unmarshal(lines.Bytes(), &event) != nil || event.Type != "ADDED" || event.Object.Kind != "Table" || len(event.Object.Rows) != 1 {
				e.Fatalf("%s, %v", lines.Bytes(), lines.Err())
			}
			if name := fmt.Sprint("c", i); event.Object.Rows[0].Cells[0] != name || (len(event.Object.ColumnDefinitions) > 0) != (i == 0) {
				e.Errorf("%+v", event.Object)
			}
		}
	}},
	{"a view that does not fit is not acceptable", func(e *env) {
		a := e.ask("GET", e.configMapsPath(), "", "Accept", asMetadata)
		e.refused(a.err, notAcceptable("you requested PartialObjectMetadata, but the requested object is a list"))
		a = e.ask("GET", e.configMapsPath(), "", "Accept", "application/json;as=Odd;v=v1;g=meta.k8s.io")
		e.refused(a.err, notAcceptable("only the following media types are accepted"))
	}},
}

// table reads a table, which the clients have no method for.
func (e *env) table(uri string) *metav1.Table {
	e.Helper()
	a := e.ask("GET", uri, "", "Accept", asTable)
	e.must(a.err)
	table := &metav1.Table{}
	if err := json.Unmarshal(a.body, table); err != nil || table.Kind != "Table" || table.APIVersion != "meta.k8s.io/v1" {
		e.Fatalf("%.300s, %v", a.body, err)
	}
	return table
}
