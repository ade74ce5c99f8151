package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// browser is the context of the one Chromium that all tests share; each has a tab of its own.
var browser context.Context

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	path, err := chromium()
	if err != nil {
		fmt.Fprintln(os.Stderr, "browsertest:", err)
		return 1
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root with one
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	ctx, closeBrowser := chromedp.NewContext(allocator)
	defer closeBrowser()
	if err := chromedp.Run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "browsertest: %s does not start: %v\n", path, err)
		return 1
	}
	browser = ctx
	return m.Run()
}

// chromium finds the browser, or installs it.
func chromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return "", fmt.Errorf("there is no chromium in PATH, and it can only be installed by root on a Debian: apt-get install chromium")
	}
	for _, args := range [][]string{{"update"}, {"install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"}} {
		fmt.Fprintln(os.Stderr, "browsertest: there is no chromium in PATH; apt-get", args)
		command := exec.Command(apt, args...)
		command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		command.Stdout, command.Stderr = os.Stderr, os.Stderr
		if err := command.Run(); err != nil {
			return "", fmt.Errorf("chromium cannot be installed: apt-get %v: %w", args, err)
		}
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		return "", fmt.Errorf("chromium was installed, and is not in PATH: %w", err)
	}
	return path, nil
}
