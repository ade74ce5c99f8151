//go:build !vedette_noconsole

package console

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"sync"
	"time"
)

//go:embed assets templates
var files embed.FS

// asset is a static file.
type asset struct {
	content   []byte
	kind, tag string
}

// assets are loaded on first use, so that a program without viewers does not pay for them.
var assets = sync.OnceValue(func() map[string]asset {
	return map[string]asset{
		"page.css":      newAsset("page.css", "text/css; charset=utf-8"),
		"page.js":       newAsset("page.js", "text/javascript; charset=utf-8"),
		"charts.js":     newAsset("charts.js", "text/javascript; charset=utf-8"),
		"uplot.js":      newAsset("uplot.js", "text/javascript; charset=utf-8"),
		"uplot.css":     newAsset("uplot.css", "text/css; charset=utf-8"),
		"uplot.LICENSE": newAsset("uplot.LICENSE", "text/plain; charset=utf-8"),
		"icon.svg":      newAsset("icon.svg", "image/svg+xml"),
	}
})

func newAsset(name, kind string) asset {
	content, err := files.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // cannot happen: the files are embedded
	}
	sum := sha256.Sum256(content)
	return asset{content, kind, `"` + hex.EncodeToString(sum[:8]) + `"`}
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Cache-Control", "no-cache") // revalidated, and answered with 304
	w.Header().Set("Etag", a.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
}

// view is a part of the page with an address.
type view struct {
	// name is the last part of its address, tab the tab in the navigation that it belongs to.
	name, title, tab string
	data             func(p *Page, q query) (any, error)
	// still reports whether the view is not refreshed; nil means that it is. samples means that it also needs the
	// charts; json, that it is available as JSON.
	still         func(q query) bool
	samples, json bool

	page *template.Template
}

// views are all views, by name.
var views = sync.OnceValue(func() map[string]*view {
	all := map[string]*view{}
	for _, v := range []*view{
		{name: "", title: "Pipeline", json: true, data: (*Page).pipelineView},
		{name: "charts", title: "Charts", samples: true, data: (*Page).chartsView},
		{name: "objects", title: "Objects", still: stillObjects, data: (*Page).objectsView},
		{name: "object", title: "Object", tab: "objects", still: always, data: (*Page).objectView},
		{name: "queues", title: "Queues", json: true, data: (*Page).queuesView},
		{name: "shards", title: "Shards", json: true, data: (*Page).shardsView},
		{name: "explain", title: "Explain", json: true, data: (*Page).explainView},
		{name: "informer", title: "Informer", data: (*Page).informerView},
		{name: "storage", title: "Storage", json: true, data: (*Page).storageView},
		{name: "missing", title: "Not found", still: always, data: func(*Page, query) (any, error) {
			return nil, fmt.Errorf("no such view: %w", errNotFound)
		}},
	} {
		all[v.name] = v
		v.page = template.Must(template.New("").Funcs(functions).ParseFS(files, "templates/layout.html", "templates/parts.html",
			"templates/"+cmp.Or(v.name, "pipeline")+".html"))
	}
	return all
})

// functions are the functions for templates.
var functions = template.FuncMap{
	"count": countAny, "size": size, "span": span, "rate": rate, "ago": ago, "until": until, "query": url.QueryEscape,
	"clock": func(at time.Time) string { return at.Format("15:04:05.000") },
	"dict":  dict,
}

func countAny(n any) string {
	switch n := n.(type) {
	case int:
		return count(n)
	case int64:
		return count(n)
	case uint64:
		return count(n)
	}
	return fmt.Sprint(n)
}

// dict returns a map of names and values, to pass several values to a template.
func dict(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m
}

// frame is the data of a template.
type frame struct {
	Title string
	View  *view
	Tabs  []tab
	Now   time.Time
	// Live is true if the view is refreshed.
	Live bool
	// Error is the error for this address, Data the data of the view.
	Error string
	Data  any
}

type tab struct {
	Link, Title string
	Here        bool
}

func always(query) bool { return true }

// live reports whether a view is refreshed.
func (v *view) live(q query) bool { return v.still == nil || !v.still(q) }

// Heading returns the title of the view.
func (v *view) Heading() string { return v.title }

// Samples reports whether the view has charts.
func (v *view) Samples() bool { return v.samples }

// render writes a view, or the error, and returns the HTTP status.
func (p *Page) render(out *bytes.Buffer, v *view, q query, part string) int {
	data, err := v.data(p, q)
	f := frame{Title: p.config.Title, View: v, Now: time.Now(), Data: data, Live: v.live(q)}
	if err != nil {
		f.Error = err.Error()
	}
	for _, name := range []string{"", "charts", "objects", "queues", "shards", "explain"} {
		if name == "shards" && len(p.config.Shards) == 0 || name == "explain" && !p.config.hasControllers() {
			continue
		}
		f.Tabs = append(f.Tabs, tab{Link: "./" + name, Title: views()[name].title, Here: name == v.name || name == v.tab && v.tab != ""})
	}
	if wrong := v.page.ExecuteTemplate(out, part, f); wrong != nil {
		fmt.Fprintf(out, "<p class=\"wrong\">Cannot show the view: %s</p>", template.HTMLEscapeString(wrong.Error()))
		return http.StatusInternalServerError
	}
	return status(err)
}
