package browsertest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// tab is a page in the browser that hears what goes wrong in it.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string

	mu       sync.Mutex
	requests int
	wrong    []string
}

// open opens a tab for a program. At the end of the test nothing may have gone wrong in it, and no request may have left the
// origin of the page.
func open(t *testing.T, p *program) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	ctx, stop := context.WithTimeout(ctx, 50*time.Second)
	b := &tab{t: t, ctx: ctx, base: p.url}
	chromedp.ListenTarget(ctx, b.hear)
	t.Cleanup(func() {
		stop()
		cancel()
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.wrong) > 0 {
			t.Errorf("in the browser:\n%s", strings.Join(b.wrong, "\n"))
		}
		if b.requests == 0 {
			t.Error("no request was seen, so that nothing was tested")
		}
	})
	b.run(network.Enable(), log.Enable(), runtime.Enable(), chromedp.EmulateViewport(1360, 850))
	return b
}

func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests++
		if !strings.HasPrefix(e.Request.URL, b.base) {
			b.wrong = append(b.wrong, "a request to "+e.Request.URL)
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			b.wrong = append(b.wrong, e.Response.StatusText+": "+e.Response.URL)
		}
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, "exception: "+e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type != runtime.APITypeLog && e.Type != runtime.APITypeInfo && e.Type != runtime.APITypeDebug {
			b.wrong = append(b.wrong, "console: "+e.Type.String())
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
			b.wrong = append(b.wrong, "log: "+e.Entry.Text)
		}
	}
}

func (b *tab) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// visit opens a view and waits for the stream, unless the view has none.
func (b *tab) visit(view string) {
	b.t.Helper()
	b.run(chromedp.Navigate(b.base+view), chromedp.WaitVisible("#main"))
	var live bool
	b.run(chromedp.Evaluate(`document.body.hasAttribute("data-live")`, &live))
	if live {
		b.until(`document.getElementById("live").dataset.state === "live"`)
	}
}

// until waits for something to be true in the page.
func (b *tab) until(expression string) {
	b.t.Helper()
	// The answer of Poll is not of interest: it is given when the expression is true.
	err := chromedp.Run(b.ctx, chromedp.Poll(expression, nil, chromedp.WithPollingInterval(100*time.Millisecond), chromedp.WithPollingTimeout(30*time.Second)))
	if err != nil {
		b.t.Fatalf("%s did not come true: %v; the page says\n%s", expression, err, b.text("main"))
	}
}

func (b *tab) text(selector string) string {
	b.t.Helper()
	var text string
	b.run(chromedp.Evaluate(`document.querySelector("`+selector+`").innerText`, &text))
	return text
}

func (b *tab) dom() string {
	b.t.Helper()
	var text string
	b.run(chromedp.Evaluate(`document.documentElement.outerHTML`, &text))
	return text
}

// look sets the size of the screen and the scheme of colours.
func (b *tab) look(width, height int64, scheme string) {
	b.t.Helper()
	b.run(chromedp.EmulateViewport(width, height),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

func (b *tab) screenshot(dir, name string) {
	b.t.Helper()
	var png []byte
	b.run(chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
