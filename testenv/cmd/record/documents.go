package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	openAPIv2  = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
)

// documents are by the name they get in the archive.
type documents map[string][]byte

// recordDocuments writes what the server says about itself into one archive, in which each document is compressed alone,
// so that a reader unpacks only what it needs.
func (s *server) recordDocuments(ctx context.Context, file string) error {
	if err := s.awaitOpenAPI(ctx); err != nil {
		return err
	}
	docs := documents{}
	for _, step := range []func(context.Context, documents) error{s.discovery, s.resources, s.openAPI, s.columns} {
		if err := step(ctx, docs); err != nil {
			return err
		}
	}
	packed, err := docs.pack()
	if err != nil {
		return err
	}
	return os.WriteFile(file, packed, 0o644)
}

func (s *server) discovery(ctx context.Context, docs documents) error {
	for name, path := range map[string]string{"discovery/api.json": "/api", "discovery/apis.json": "/apis"} {
		answer, err := s.get(ctx, path, aggregated)
		if err != nil {
			return err
		}
		docs[name] = compact(answer)
	}
	version, err := s.get(ctx, "/version", "application/json")
	docs["version.json"] = version
	return err
}

// resources gets the lists that are older than aggregated discovery: they alone have the hash of the storage version.
func (s *server) resources(ctx context.Context, docs documents) error {
	paths, err := s.groupVersions(ctx)
	if err != nil {
		return err
	}
	for _, path := range paths {
		answer, err := s.get(ctx, "/"+path, "application/json")
		if err != nil {
			return err
		}
		docs["resources/"+path+".json"] = compact(answer)
	}
	return nil
}

// columns gets the columns of each kind by asking for a list as a table.
func (s *server) columns(ctx context.Context, docs documents) error {
	paths, err := s.groupVersions(ctx)
	if err != nil {
		return err
	}
	columns := map[string][]metav1.TableColumnDefinition{}
	for _, path := range paths {
		var resources metav1.APIResourceList
		if err := s.getJSON(ctx, "/"+path, &resources); err != nil {
			return err
		}
		for _, r := range resources.APIResources {
			if !slices.Contains(r.Verbs, "list") {
				continue
			}
			var table metav1.Table
			answer, err := s.get(ctx, "/"+path+"/"+r.Name+"?limit=1", tables)
			if err != nil {
				return err
			}
			if err := json.Unmarshal(answer, &table); err != nil {
				return err
			}
			columns[path+"/"+r.Name] = table.ColumnDefinitions
		}
	}
	docs["columns.json"], err = json.Marshal(columns)
	return err
}

// groupVersions are the paths of all: "api/v1", "apis/apps/v1" and so on.
func (s *server) groupVersions(ctx context.Context) ([]string, error) {
	var groups metav1.APIGroupList
	if err := s.getJSON(ctx, "/apis", &groups); err != nil {
		return nil, err
	}
	paths := []string{"api/v1"}
	for _, group := range groups.Groups {
		for _, version := range group.Versions {
			paths = append(paths, "apis/"+version.GroupVersion)
		}
	}
	return paths, nil
}

type index struct {
	Paths map[string]struct{ ServerRelativeURL string }
}

func (s *server) openAPI(ctx context.Context, docs documents) error {
	var all index
	document, err := s.get(ctx, "/openapi/v3", "application/json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(document, &all); err != nil {
		return err
	}
	docs["openapi/v3.json"] = document
	for path, at := range all.Paths {
		answer, err := s.get(ctx, at.ServerRelativeURL, "application/json")
		if err != nil {
			return err
		}
		docs["openapi/v3/"+path+".json"] = answer
	}
	if docs["openapi/shared.json"], err = shared(docs["openapi/v3/apis/apps/v1.json"]); err != nil {
		return err
	}
	if docs["openapi/v2.json"], err = s.get(ctx, "/openapi/v2", "application/json"); err != nil {
		return err
	}
	docs["openapi/v2.pb"], err = s.get(ctx, "/openapi/v2", openAPIv2)
	return err
}

// shared takes out of a document the schemas that the document of any custom resource has too.
func shared(document []byte) ([]byte, error) {
	var from struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(document, &from); err != nil {
		return nil, err
	}
	schemas := from.Components.Schemas
	for name := range schemas {
		if !strings.HasPrefix(name, "io.k8s.apimachinery.") && !strings.HasPrefix(name, "io.k8s.api.autoscaling.v1.Scale") {
			delete(schemas, name)
		}
	}
	return json.Marshal(schemas)
}

// awaitOpenAPI waits until the documents describe every group version: the aggregator collects them after the server is ready.
func (s *server) awaitOpenAPI(ctx context.Context) error {
	paths, err := s.groupVersions(ctx)
	if err != nil {
		return err
	}
	for previous := -1; ; time.Sleep(time.Second) {
		var all index
		if err := s.getJSON(ctx, "/openapi/v3", &all); err != nil {
			return err
		}
		v2, err := s.get(ctx, "/openapi/v2", "application/json")
		if err != nil {
			return err
		}
		complete := !slices.ContainsFunc(paths, func(p string) bool { _, ok := all.Paths[p]; return !ok })
		if complete && len(v2) == previous && strings.Contains(string(v2), "CustomResourceDefinition") {
			return nil
		}
		previous = len(v2)
	}
}

func compact(document []byte) []byte {
	var out bytes.Buffer
	if json.Compact(&out, document) != nil {
		return document
	}
	return out.Bytes()
}

// pack gives the same bytes for the same documents: no times, and names in order.
func (d documents) pack() ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, name := range slices.Sorted(maps.Keys(d)) {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(d[name]); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}
