//go:build unix

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/dynamic"
	"vedette.dev/kubernetes"
	"vedette.dev/workqueue"
)

const (
	operatorSites = 500
	operatorPages = 3
)

var (
	siteResource = schema.GroupVersionResource{Group: "demo.vedette.dev", Version: "v1", Resource: "sites"}
	crdResource  = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// TestOperator runs examples/operator in a process of its own: 500 sites with 3 pages each. It is killed in the middle and started
// again; pages are deleted and changed by hand; sites change and go. In the end there is what should be, and no page was created
// that was there, or had just been created.
func TestOperator(t *testing.T) {
	t.Parallel()
	c := newSites(t)
	program := buildOperator(t)
	operator := c.startOperator(program)
	c.awaitDefinition()
	c.eachSite(func(i int) error {
		site := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "demo.vedette.dev/v1", "kind": "Site",
			"metadata": map[string]any{"name": siteName(i)},
			"spec":     map[string]any{"pages": int64(operatorPages), "text": "hello"},
		}}
		_, err := c.sites.Create(t.Context(), site, metav1.CreateOptions{})
		return err
	})
	c.await("a third of the pages", func(pages map[string]*corev1.ConfigMap) bool { return len(pages) > operatorSites*operatorPages/3 })
	operator.kill()
	before := len(c.pages())
	t.Logf("killed with %d pages written", before)
	operator = c.startOperator(program)
	c.awaitPages("hello", operatorSites, operatorPages)
	c.noneTwice()

	t.Log("pages are deleted and changed by hand")
	for i := range 100 {
		name := pageName(i, i%operatorPages)
		if i%2 == 0 {
			c.do(c.client.CoreV1().ConfigMaps(c.namespace).Delete(t.Context(), name, metav1.DeleteOptions{}))
			continue
		}
		_, err := c.client.CoreV1().ConfigMaps(c.namespace).Patch(t.Context(), name, types.MergePatchType, []byte(`{"data":{"text":"graffiti"}}`), metav1.PatchOptions{})
		c.do(err)
	}
	c.awaitPages("hello", operatorSites, operatorPages)

	t.Log("all sites change, half of them go, and the operator is killed again")
	c.eachSite(func(i int) error {
		if i%2 == 0 {
			return c.sites.Delete(t.Context(), siteName(i), metav1.DeleteOptions{})
		}
		_, err := c.sites.Patch(t.Context(), siteName(i), types.MergePatchType, []byte(`{"spec":{"pages":2,"text":"bye"}}`), metav1.PatchOptions{})
		return err
	})
	operator.kill()
	operator = c.startOperator(program)
	c.awaitPages("bye", operatorSites/2, 2)
	c.awaitSites(operatorSites/2, 2)
	c.noneTwice()
	operator.interrupt()
}

func siteName(i int) string       { return fmt.Sprintf("site-%03d", i) }
func pageName(i, page int) string { return fmt.Sprintf("%s-%d", siteName(i), page) }

// sites is the sites of a namespace, and what has happened to their pages.
type sites struct {
	t         *testing.T
	client    kubernetes.Interface
	sites     dynamic.ResourceInterface
	namespace string

	mu sync.Mutex
	// created and deleted count what happened to each page.
	created, deleted map[string]int
}

func newSites(t *testing.T) *sites {
	t.Helper()
	client := newClientset(t)
	all, err := dynamic.NewForConfig(closing(t, adminConfig(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := &sites{t: t, client: client, namespace: newNamespace(t, client), created: map[string]int{}, deleted: map[string]int{}}
	c.sites = all.Resource(siteResource).Namespace(c.namespace)
	t.Cleanup(func() {
		_ = all.Resource(crdResource).Delete(context.Background(), "sites.demo.vedette.dev", metav1.DeleteOptions{})
	})
	c.listen()
	return c
}

func (c *sites) do(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// listen counts the creations and deletions of pages as the server tells them.
func (c *sites) listen() {
	list, err := c.client.CoreV1().ConfigMaps(c.namespace).List(c.t.Context(), metav1.ListOptions{})
	c.do(err)
	w, err := c.client.CoreV1().ConfigMaps(c.namespace).Watch(c.t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	c.do(err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for event := range w.ResultChan() {
			if page, ok := event.Object.(*corev1.ConfigMap); ok && metav1.GetControllerOf(page) != nil {
				c.count(event.Type, page.Name)
			}
		}
	}()
	c.t.Cleanup(func() { w.Stop(); <-done })
}

func (c *sites) count(what watch.EventType, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch what {
	case watch.Added:
		c.created[name]++
	case watch.Deleted:
		c.deleted[name]++
	}
}

// noneTwice checks that a page was created again only after it was deleted.
func (c *sites) noneTwice() {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, created := range c.created {
		if now := created - c.deleted[name]; now < 0 || now > 1 {
			c.t.Errorf("%s was created %d times and deleted %d times", name, created, c.deleted[name])
		}
	}
}

func (c *sites) eachSite(do func(i int) error) {
	c.t.Helper()
	var mu sync.Mutex
	var failed error
	workqueue.ParallelizeUntil(c.t.Context(), 8, operatorSites, func(i int) {
		if err := do(i); err != nil {
			mu.Lock()
			defer mu.Unlock()
			failed = fmt.Errorf("%s: %w", siteName(i), err)
		}
	})
	c.do(failed)
}

func (c *sites) pages() map[string]*corev1.ConfigMap {
	c.t.Helper()
	list, err := c.client.CoreV1().ConfigMaps(c.namespace).List(c.t.Context(), metav1.ListOptions{})
	c.do(err)
	pages := make(map[string]*corev1.ConfigMap)
	for i := range list.Items {
		if page := &list.Items[i]; metav1.GetControllerOf(page) != nil {
			pages[page.Name] = page
		}
	}
	return pages
}

func (c *sites) await(what string, is func(map[string]*corev1.ConfigMap) bool) {
	c.t.Helper()
	began := time.Now()
	for !is(c.pages()) {
		if time.Since(began) > 90*time.Second {
			c.t.Fatalf("not within 90 s: %s; there are %d pages", what, len(c.pages()))
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.t.Logf("%s: after %v", what, time.Since(began).Round(100*time.Millisecond))
}

// awaitPages waits until so many sites have so many pages with that text, and there are no others.
func (c *sites) awaitPages(text string, sites, each int) {
	c.t.Helper()
	c.await(fmt.Sprintf("%d sites with %d pages that say %s", sites, each, text), func(pages map[string]*corev1.ConfigMap) bool {
		of := make(map[string]int)
		for _, page := range pages {
			if page.Data["text"] == text {
				of[metav1.GetControllerOf(page).Name]++
			}
		}
		for _, count := range of {
			if count != each {
				return false
			}
		}
		return len(of) == sites && len(pages) == sites*each
	})
}

// awaitSites waits until there are so many sites, and all say in their status that they have so many pages.
func (c *sites) awaitSites(count, pages int) {
	c.t.Helper()
	c.await(fmt.Sprintf("%d sites that say they have %d pages", count, pages), func(map[string]*corev1.ConfigMap) bool {
		list, err := c.sites.List(c.t.Context(), metav1.ListOptions{})
		c.do(err)
		for _, site := range list.Items {
			has, _, _ := unstructured.NestedInt64(site.Object, "status", "pages")
			observed, _, _ := unstructured.NestedInt64(site.Object, "status", "observedGeneration")
			if has != int64(pages) || observed != site.GetGeneration() {
				return false
			}
		}
		return len(list.Items) == count
	})
}

// awaitDefinition waits until the operator has told the server what a site is.
func (c *sites) awaitDefinition() {
	c.t.Helper()
	c.await("sites are known", func(map[string]*corev1.ConfigMap) bool {
		_, err := c.sites.List(c.t.Context(), metav1.ListOptions{Limit: 1})
		return err == nil
	})
}

func buildOperator(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "operator")
	out, err := exec.Command("go", "build", "-o", program, "vedette.dev/examples/operator").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// operatorProcess is the operator.
type operatorProcess struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  bytes.Buffer
	wait func() error
}

func (c *sites) startOperator(program string) *operatorProcess {
	c.t.Helper()
	o := &operatorProcess{t: c.t, cmd: exec.Command(program, "-kubeconfig", shared.Env(c.t).Kubeconfig())}
	o.cmd.Stdout, o.cmd.Stderr = &o.out, &o.out
	c.do(o.cmd.Start())
	o.wait = sync.OnceValue(o.cmd.Wait)
	c.t.Cleanup(func() {
		_ = o.cmd.Process.Kill()
		_ = o.wait()
		// It would try to create what is there if it did not see what it had written just before.
		if count := strings.Count(o.out.String(), "already exists"); count > 0 {
			c.t.Errorf("the operator tried to create %d pages that were there", count)
		}
		if c.t.Failed() {
			c.t.Logf("the operator said:\n%s", tail(o.out.String(), 4000))
		}
	})
	return o
}

func tail(text string, limit int) string { return text[max(0, len(text)-limit):] }

// kill ends the operator as a crash does.
func (o *operatorProcess) kill() {
	_ = o.cmd.Process.Kill()
	_ = o.wait()
}

// interrupt asks the operator to end, which it should do without an error.
func (o *operatorProcess) interrupt() {
	o.t.Helper()
	if err := o.cmd.Process.Signal(os.Interrupt); err != nil {
		o.t.Fatal(err)
	}
	if err := o.wait(); err != nil {
		o.t.Errorf("the operator ended with %v", err)
	}
	if out := o.out.String(); strings.Contains(out, "panic") || !strings.Contains(out, "Controller stopped") {
		o.t.Errorf("the operator said:\n%s", tail(out, 4000))
	}
}
