package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// labels are the field labels that some kind or other has, and one that none has.
var labels = []string{
	"metadata.name", "metadata.namespace", "nope", "name", "spec.nodeName", "spec.host", "spec.restartPolicy", "spec.schedulerName",
	"spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName",
	"involvedObject.kind", "involvedObject.uid", "involvedObject.fieldPath", "regarding.kind", "regarding.resourceVersion",
	"reportingComponent", "reportingController", "reason", "source", "type", "spec.unschedulable", "status.replicas",
	"status.successful", "spec.clusterIP", "spec.type", "spec.signerName", "spec.driver",
}

// recordSelectors writes down, for each kind, which field labels it has, and what the server says to the others.
func (s *server) recordSelectors(ctx context.Context, file string) error {
	paths, err := s.groupVersions(ctx)
	if err != nil {
		return err
	}
	answers := map[string]selectors{}
	for _, path := range paths {
		var resources metav1.APIResourceList
		if err := s.getJSON(ctx, "/"+path, &resources); err != nil {
			return err
		}
		for _, r := range resources.APIResources {
			if !slices.Contains(r.Verbs, "watch") {
				continue
			}
			if answers[path+"/"+r.Name], err = s.tryLabels(ctx, "/"+path+"/"+r.Name); err != nil {
				return err
			}
		}
	}
	data, err := json.MarshalIndent(map[string]any{"tried": labels, "kinds": answers}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

// selectors are the labels that a kind has, and what the server says of the others, in which LABEL stands for the label.
type selectors struct {
	Has  []string `json:"has"`
	Else string   `json:"else"`
}

func (s *server) tryLabels(ctx context.Context, path string) (found selectors, err error) {
	for _, label := range labels {
		code, answer, err := s.do(ctx, http.MethodGet, path+"?limit=1&fieldSelector="+url.QueryEscape(label+"=x"), "application/json", nil)
		if err != nil {
			return found, err
		}
		if code == http.StatusOK {
			found.Has = append(found.Has, label)
			continue
		}
		var status metav1.Status
		if err := json.Unmarshal(answer, &status); err != nil {
			return found, err
		}
		text := strings.Replace(status.Message, `"`+label+`"`, `"LABEL"`, 1)
		if before, found := strings.CutSuffix(text, ": "+label); found {
			text = before + ": LABEL"
		}
		if found.Else != "" && found.Else != text {
			return found, fmt.Errorf("%s: %q and %q", path, found.Else, text)
		}
		found.Else = text
	}
	return found, nil
}
