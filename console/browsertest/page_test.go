package browsertest

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	figure = `document.querySelector('[data-lane="core/v1.Pod"] [data-stage="server"] .figure b').textContent`
	// numbers are all that move: a rate alone may stay the same for a while.
	numbers = `document.querySelector('[data-lane="core/v1.Pod"]').innerText`
	stage   = `document.querySelector('[data-lane="apps/v1.Deployment"] [data-stage="handlers"]')`
)

func TestThePageLoadsAndTheNumbersMove(t *testing.T) {
	b := open(t, newProgram(t, false))
	b.visit("")
	b.until(figure + ` !== "–" && Number(` + figure + `.replace(",", "")) > 10`)
	b.run(chromedp.Evaluate(`window.before = `+numbers+`; for (const e of document.querySelectorAll("header, [data-lane], .stage")) e.marked = true; 0`, nil))
	b.until(numbers + ` !== window.before`)
	// The page is changed in place, so that focus and selection stay.
	b.until(`[...document.querySelectorAll("header, [data-lane], .stage")].every(e => e.marked)`)
	if health := b.text("#health"); !strings.Contains(health, "All is well") {
		t.Errorf("the page says %q", health)
	}
}

func TestAStalledHandlerIsSeenWithItsCause(t *testing.T) {
	p := newProgram(t, true)
	b := open(t, p)
	b.visit("")
	b.until(stage + `.dataset.level === "failing"`)
	if health := b.text("#health"); !strings.Contains(health, "apps/v1.Deployment · Handlers failing: handler 1 (cache.ResourceEventHandlerFuncs) is stalled: a call has not returned for") {
		t.Errorf("the page says %q", health)
	}
	if lane := b.text(`[data-lane='apps/v1.Deployment']`); !strings.Contains(lane, "✕ failing") || !strings.Contains(lane, "Handlers failing: handler 1") {
		t.Errorf("the lane says %q", lane)
	}
	// Its stage is red: the same colour as the sign of what fails.
	var colours []string
	b.run(chromedp.Evaluate(`[getComputedStyle(`+stage+`).borderTopColor, getComputedStyle(document.querySelector("footer .is-failing")).color,
		getComputedStyle(document.querySelector('[data-lane="core/v1.Pod"] [data-stage="handlers"]')).borderTopColor]`, &colours))
	if colours[0] != colours[1] || colours[0] == colours[2] {
		t.Errorf("the colours of the stalled handler, of what fails, and of another: %v", colours)
	}
	p.release()
	b.until(stage + `.dataset.level === "ok"`)
}

func TestExplainOfAStuckKeyShowsTheStage(t *testing.T) {
	p := newProgram(t, false)
	b := open(t, p)
	b.visit("explain")
	b.run(chromedp.SendKeys(`input[name="key"]`, "shop/"+stuckPod+kb.Enter), chromedp.WaitVisible(`.explained[data-stage="being worked on"]`))
	b.until(`document.querySelector('.explained[data-stage="being worked on"] [aria-current="step"]').innerText.includes("worked on")`)
	if text := b.text(`.explained[data-stage='being worked on']`); !strings.Contains(text, "being reconciled by worker ") || !strings.Contains(text, "controller pod-labels") {
		t.Errorf("the page says %q", text)
	}
	// The queue shows it in hand, by whom and since when, and leads to the same answer.
	b.visit("queues?name=pod-labels")
	const row = `[...document.querySelectorAll('[data-queue="pod-labels"] tr')].find(row => row.innerText.includes("shop/` + stuckPod + `"))`
	held := p.pods.State().Busy[0] // the oldest
	b.until(fmt.Sprintf(row+`.querySelector("[data-worker]").innerText === "%d" && `+row+`.innerText.includes(%q)`, held.Worker, held.Since.Format("15:04:05.000")))
	b.run(chromedp.Click(`//a[text()="shop/`+stuckPod+`"]`), chromedp.WaitVisible(`.explained[data-stage="being worked on"]`))
	// So does the object.
	b.visit("object?informer=core/v1.Pod&key=shop/" + stuckPod)
	if text := b.text("main"); !strings.Contains(text, "being worked on") || !strings.Contains(text, "As cached") {
		t.Errorf("the page says %q", text)
	}
}

// all are addresses of all views.
var all = []string{
	"", "charts", "objects", "objects?informer=core/v1.Secret", "objects?informer=core/v1.Secret&sort=largest", "objects?informer=core/v1.Pod&sort=changed",
	"object?informer=core/v1.Secret&key=shop/database", "object?informer=core/v1.Secret&key=shop/database&as=json&managed=1",
	"queues", "queues?name=pod-labels", "shards", "explain", "explain?key=shop/" + stuckPod, "informer?name=core/v1.Secret", "informer?name=apps/v1.Deployment",
}

func TestASecretIsNowhereInTheDOM(t *testing.T) {
	b := open(t, newProgram(t, false))
	found := false
	for _, view := range all {
		b.visit(view)
		dom := b.dom()
		for _, secret := range []string{password, base64.StdEncoding.EncodeToString([]byte(password))} {
			if strings.Contains(dom, secret) {
				t.Errorf("%s shows the secret", view)
			}
		}
		found = found || strings.Contains(dom, "password: ‹hidden›")
	}
	if !found {
		t.Error("no view shows the secret without its value, so that nothing was tested")
	}
}

func TestNothingIsWiderThanAPhone(t *testing.T) {
	b := open(t, newProgram(t, true))
	b.look(390, 844, "light")
	for _, view := range all {
		b.visit(view)
		var over string
		b.run(chromedp.Evaluate(`document.documentElement.scrollWidth > innerWidth ? document.documentElement.scrollWidth + " > " + innerWidth : ""`, &over))
		if over != "" {
			t.Errorf("%s is too wide: %s", view, over)
		}
	}
}

func TestKeys(t *testing.T) {
	b := open(t, newProgram(t, false))
	b.visit("")
	b.run(chromedp.KeyEvent("2"), chromedp.WaitVisible("#charts"))
	b.visit("objects")
	b.run(chromedp.KeyEvent("/"))
	b.until(`document.activeElement.name === "key"`)
	b.run(chromedp.KeyEvent("2")) // writes, and does not lead away
	b.until(`document.activeElement.value.endsWith("2")`)
	b.visit("")
	b.run(chromedp.KeyEvent(kb.Tab))
	b.until(`document.activeElement.className === "skip"`)
	for _, name := range []string{"Vedette", "Pipeline", "Charts"} {
		b.run(chromedp.KeyEvent(kb.Tab))
		if name != "Vedette" {
			b.until(fmt.Sprintf(`document.activeElement.innerText === %q`, name))
		}
	}
	// What has the focus keeps it while the numbers move.
	b.run(chromedp.Evaluate(`window.before = document.querySelector("main").innerText; 0`, nil))
	b.until(`document.querySelector("main").innerText !== window.before && document.activeElement.innerText === "Charts"`)
	b.run(chromedp.KeyEvent("p"))
	b.until(`document.getElementById("live").textContent.includes("paused")`)
	b.run(chromedp.KeyEvent("p"))
	b.until(`document.getElementById("live").dataset.state === "live"`)
}

func TestChartsAreDrawn(t *testing.T) {
	b := open(t, newProgram(t, false))
	b.visit("charts")
	for _, id := range []string{"events", "lag", "behind", "depth", "ages", "work", "took", "memory"} {
		b.until(fmt.Sprintf(`document.querySelector("#chart-%s canvas") !== null`, id))
		// Something is painted on it: not all of its points are empty.
		b.until(fmt.Sprintf(`(() => { const c = document.querySelector("#chart-%s canvas"); return c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(v => v > 0); })()`, id))
	}
	b.until(`document.querySelector("#chart-took .u-legend").innerText.includes("pod-labels p99")`)
}
