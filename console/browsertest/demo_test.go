package browsertest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
)

// demoPage starts 'vedette demo' as people do, and returns the address of its page. It is ended with the test.
func demoPage(t *testing.T) *program {
	t.Helper()
	command := filepath.Join(t.TempDir(), "vedette")
	build := exec.Command("go", "build", "-o", command, "./cmd/vedette")
	build.Dir = filepath.Join("..", "..") // the module whose command it is
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	demo := exec.Command(command, "demo", "--no-browser", "--shards", "5")
	out, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	demo.Stderr = os.Stderr
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	t.Cleanup(func() {
		_ = demo.Process.Signal(os.Interrupt)
		said := ""
		for lines.Scan() {
			said += lines.Text() + "\n"
		}
		if err := demo.Wait(); err != nil {
			t.Errorf("the demo ended with %v:\n%s", err, said)
		}
	})
	address := regexp.MustCompile(`http://\S+`)
	for lines.Scan() {
		if url := address.FindString(lines.Text()); url != "" {
			return &program{url: url}
		}
	}
	t.Fatal("the demo does not say where its page is")
	return nil
}

func TestTheDemo(t *testing.T) {
	b := open(t, demoPage(t))
	b.visit("")
	b.until(figure + ` !== "–" && Number(` + figure + `.replace(",", "")) > 10`)
	// The sharding informer is one line of the pipeline, which says of how many parts it is.
	const lane = `document.querySelector('[data-lane="pods in 5 shards"]')`
	b.until(lane + ` !== null && ` + lane + `.querySelector('[data-stage="store"]').innerText.includes("shards")`)
	b.until(`document.querySelector('[data-lane$=".Site"]') !== null && document.querySelector('[data-lane$=".Site"]').innerText.includes("controller sites")`)

	b.visit("shards")
	const rows = `document.querySelectorAll('[data-set="pods in 5 shards"] [data-shard]')`
	b.until(rows + `.length === 5`)
	b.until(`document.querySelector('[data-set="pods in 5 shards"]').innerText.includes("5 streams")`)
	// They all hold something, and their numbers move.
	b.until(`[...` + rows + `].every(row => Number(row.cells[4].innerText.replace(",", "")) > 0)`)
	b.run(chromedp.Evaluate(`window.before = [...`+rows+`].map(row => row.innerText).join(); 0`, nil))
	b.until(`[...` + rows + `].map(row => row.innerText).join() !== window.before`)
	b.screenshot(t.ArtifactDir(), "demo-shards")

	// On a phone the first page can be read: nothing is wider than the screen, and the words are not too small.
	b.look(390, 844, "light")
	b.visit("")
	b.until(`document.documentElement.scrollWidth <= innerWidth`)
	b.until(`[...document.querySelectorAll("main h2, main dt, main dd, main .figure, main .stage-title")].every(e => parseFloat(getComputedStyle(e).fontSize) >= 11)`)
	b.until(`[...document.querySelectorAll("main .lane .stage")].every(e => e.getBoundingClientRect().right <= innerWidth || e.closest(".way").scrollWidth > e.closest(".way").clientWidth)`)
	b.screenshot(t.ArtifactDir(), "demo-phone")
}
