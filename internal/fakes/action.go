package fakes

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/testing"
)

// actionOf says what is asked for.
func (t *Transport) actionOf(c *call) (testing.Action, error) {
	switch c.req.Method {
	case http.MethodGet:
		return t.readAction(c)
	case http.MethodPost:
		return t.createAction(c)
	case http.MethodPut:
		return t.updateAction(c)
	case http.MethodPatch:
		return patchAction(c)
	case http.MethodDelete:
		return t.deleteAction(c)
	}
	return nil, fmt.Errorf("no action has the method %s", c.req.Method)
}

func (t *Transport) readAction(c *call) (testing.Action, error) {
	switch sub, _, _ := strings.Cut(c.sub, "/"); {
	case c.name == "":
		return t.listAction(c)
	case sub == "proxy":
		return proxyAction(c), nil
	case sub == "log" && c.resource.Resource == "pods":
		return logAction(c), nil
	}
	var opts metav1.GetOptions
	query := c.req.URL.Query()
	opts.ResourceVersion = query.Get("resourceVersion")
	return testing.NewGetSubresourceActionWithOptions(c.resource, c.namespace, c.sub, c.name, opts), nil
}

func (t *Transport) listAction(c *call) (testing.Action, error) {
	opts, err := listOptions(c)
	if err != nil {
		return nil, err
	}
	if opts.Watch {
		return testing.NewWatchActionWithOptions(c.resource, c.namespace, opts), nil
	}
	return testing.NewListActionWithOptions(c.resource, t.Codec.KindOf(c.resource), c.namespace, opts), nil
}

// listOptions have selectors that can be parsed.
func listOptions(c *call) (opts metav1.ListOptions, err error) {
	query := c.req.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &opts, nil); err != nil {
		return opts, err
	}
	if _, err := labels.Parse(opts.LabelSelector); err != nil {
		return opts, err
	}
	_, err = fields.ParseSelector(opts.FieldSelector)
	return opts, err
}

func (t *Transport) createAction(c *call) (testing.Action, error) {
	obj, err := t.Codec.Decode(c.body)
	if err != nil {
		return nil, err
	}
	var opts metav1.CreateOptions
	query := c.req.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_CreateOptions(&query, &opts, nil); err != nil {
		return nil, err
	}
	return testing.NewCreateSubresourceActionWithOptions(c.resource, c.name, c.sub, c.namespace, obj, opts), nil
}

func (t *Transport) updateAction(c *call) (testing.Action, error) {
	obj, err := t.Codec.Decode(c.body)
	if err != nil {
		return nil, err
	}
	var opts metav1.UpdateOptions
	query := c.req.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_UpdateOptions(&query, &opts, nil); err != nil {
		return nil, err
	}
	return testing.NewUpdateSubresourceActionWithOptions(c.resource, c.sub, c.namespace, obj, opts), nil
}

func patchAction(c *call) (testing.Action, error) {
	media, _, err := mime.ParseMediaType(c.req.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	var opts metav1.PatchOptions
	query := c.req.URL.Query()
	if err := metav1.Convert_url_Values_To_v1_PatchOptions(&query, &opts, nil); err != nil {
		return nil, err
	}
	return testing.NewPatchSubresourceActionWithOptions(c.resource, c.namespace, c.name, types.PatchType(media), c.body, opts, c.sub), nil
}

func (t *Transport) deleteAction(c *call) (testing.Action, error) {
	opts, err := t.deleteOptions(c)
	if err != nil {
		return nil, err
	}
	if c.name != "" {
		return testing.NewDeleteSubresourceActionWithOptions(c.resource, c.sub, c.namespace, c.name, opts), nil
	}
	list, err := listOptions(c)
	if err != nil {
		return nil, err
	}
	return testing.NewDeleteCollectionActionWithOptions(c.resource, c.namespace, opts, list), nil
}

// deleteOptions are those in the body, without the kind that they travel under.
func (t *Transport) deleteOptions(c *call) (opts metav1.DeleteOptions, err error) {
	switch {
	case len(c.body) == 0:
		return opts, nil
	case c.body[0] == '{':
		err = json.Unmarshal(c.body, &opts)
	default:
		var obj runtime.Object
		if obj, err = t.Codec.Decode(c.body); err != nil {
			return opts, err
		}
		decoded, ok := obj.(*metav1.DeleteOptions)
		if !ok {
			return opts, fmt.Errorf("the options of a deletion are a %T", obj)
		}
		opts = *decoded
	}
	opts.TypeMeta = metav1.TypeMeta{}
	return opts, err
}

// proxyAction reads "https:name:port/proxy/path".
func proxyAction(c *call) testing.Action {
	scheme, name, port := "", c.name, ""
	switch parts := strings.Split(c.name, ":"); len(parts) {
	case 2:
		name, port = parts[0], parts[1]
	case 3:
		scheme, name, port = parts[0], parts[1], parts[2]
	}
	params := map[string]string{}
	for key := range c.req.URL.Query() {
		params[key] = c.req.URL.Query().Get(key)
	}
	path := strings.TrimPrefix(strings.TrimPrefix(c.sub, "proxy"), "/")
	return testing.NewProxyGetAction(c.resource, c.namespace, scheme, name, port, path, params)
}

func logAction(c *call) testing.Action {
	return testing.GenericActionImpl{Value: logOptions(c.req.URL.Query()), ActionImpl: testing.ActionImpl{
		Verb: "get", Namespace: c.namespace, Resource: c.resource, Subresource: "log"}}
}

// logOptions are those that people ask for. What cannot be read is left out.
func logOptions(query url.Values) *corev1.PodLogOptions {
	yes := func(name string) bool { return query.Get(name) == "true" }
	number := func(name string) *int64 {
		n, err := strconv.ParseInt(query.Get(name), 10, 64)
		if err != nil {
			return nil
		}
		return &n
	}
	return &corev1.PodLogOptions{
		Container: query.Get("container"), Follow: yes("follow"), Previous: yes("previous"), Timestamps: yes("timestamps"),
		SinceSeconds: number("sinceSeconds"), TailLines: number("tailLines"), LimitBytes: number("limitBytes"),
	}
}
