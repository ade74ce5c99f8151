package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/gentype"
	"vedette.dev/internal/sites"
)

// requestTime is the timeout of a request, and of a reconcile.
const requestTime = 10 * time.Second

func newSite(number int) *sites.Site {
	return &sites.Site{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("site-%d", number)},
		Spec:       sites.SiteSpec{Pages: 1 + number%5, Text: "hello"},
	}
}

func makeSites(ctx context.Context, api *gentype.Custom[sites.Site], count int) error {
	for i := range count {
		if _, err := api.Create(ctx, newSite(i), metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("cannot create a site: %w", err)
		}
	}
	return nil
}

// editor simulates a user of the operator: it creates, changes and deletes sites, and deletes pages by hand.
type editor struct {
	*Demo
	names []string
	next  int
	least int
}

// churnSites edits sites until the context ends, one change for every ten of the others.
func (d *Demo) churnSites(ctx context.Context) {
	count := d.config.sites()
	e := &editor{Demo: d, next: count, least: count / 2}
	for i := range count {
		e.names = append(e.names, newSite(i).Name)
	}
	pace(ctx, max(1, d.config.Rate/10), func(ctx context.Context) { d.attempt(e.edit(ctx)) })
}

// attempt counts a successful change. A failure was most likely injected, and the next change comes soon.
func (d *Demo) attempt(err error) {
	if err == nil {
		d.changes.Add(1)
	}
}

// pace calls a function at a rate per second, until the context ends. It does not catch up after a slow call.
func pace(ctx context.Context, rate float64, call func(ctx context.Context)) {
	ticker := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			limited, cancel := context.WithTimeout(ctx, requestTime)
			call(limited)
			cancel()
		case <-ctx.Done():
			return
		}
	}
}

func (e *editor) edit(ctx context.Context) error {
	api := e.world.setting().sites
	at := rand.IntN(len(e.names))
	name := e.names[at]
	switch what := rand.IntN(10); {
	case what < 1 && len(e.names) < 3*e.least:
		site := newSite(e.next)
		e.next++
		_, err := api.Create(ctx, site, metav1.CreateOptions{})
		if err == nil {
			e.names = append(e.names, site.Name)
		}
		return err
	case what < 2 && len(e.names) > e.least && at > 0: // the first one is kept: see Site
		err := api.Delete(ctx, name, metav1.DeleteOptions{})
		if err == nil {
			e.names[at] = e.names[len(e.names)-1]
			e.names = e.names[:len(e.names)-1]
		}
		return err
	case what < 4: // a manual deletion
		pages := e.world.setting().client.CoreV1().ConfigMaps(e.siteNamespace())
		return pages.Delete(ctx, name+"-0", metav1.DeleteOptions{})
	case what < 6:
		return patchSpec(ctx, api, name, map[string]any{"pages": 1 + rand.IntN(5)})
	}
	return patchSpec(ctx, api, name, map[string]any{"text": fmt.Sprintf("it is %s", time.Now().Format("15:04:05.000"))})
}

// Site returns the key of a site that exists, and changes, for as long as the demo runs.
func (d *Demo) Site() string { return d.siteNamespace() + "/" + newSite(0).Name }

func (d *Demo) siteNamespace() string {
	if n := d.Namespace(); n != "" {
		return n
	}
	return metav1.NamespaceDefault
}

func patchSpec(ctx context.Context, api *gentype.Custom[sites.Site], name string, spec map[string]any) error {
	data, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		return err
	}
	_, err = api.Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{})
	return err
}
