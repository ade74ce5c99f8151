package chromium

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// machine is one on which nothing is done: programs are in PATH or not, and apt-get does what it is told to.
type machine struct {
	has     []string
	root    bool
	fails   string // what apt-get cannot do
	brings  string // what is there after an installation
	ran     []string
	notices []string
}

func (m *machine) find() (string, error) {
	return system{
		lookPath: func(name string) (string, error) {
			if slices.Contains(m.has, name) {
				return "/usr/bin/" + name, nil
			}
			return "", exec.ErrNotFound
		},
		root: m.root,
		run: func(path string, args ...string) error {
			m.ran = append(m.ran, path+" "+strings.Join(args, " "))
			if m.fails != "" && slices.Contains(args, m.fails) {
				return errors.New("exit status 100")
			}
			if slices.Contains(args, "install") && m.brings != "" {
				m.has = append(m.has, m.brings)
			}
			return nil
		},
		say: func(text string) { m.notices = append(m.notices, text) },
	}.find()
}

const (
	update  = "/usr/bin/apt-get -o DPkg::Lock::Timeout=300 update"
	install = "/usr/bin/apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends chromium fonts-dejavu-core"
)

func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		machine
		path string
		err  []string
		ran  []string
	}{
		"it is there":                    {machine: machine{has: []string{"chromium", "apt-get"}, root: true}, path: "/usr/bin/chromium"},
		"by another name":                {machine: machine{has: []string{"google-chrome-stable"}}, path: "/usr/bin/google-chrome-stable"},
		"the first of several":           {machine: machine{has: []string{"google-chrome", "chromium-browser"}}, path: "/usr/bin/chromium-browser"},
		"missing, and root installs it":  {machine: machine{has: []string{"apt-get"}, root: true, brings: "chromium"}, path: "/usr/bin/chromium", ran: []string{update, install}},
		"lists that cannot be refreshed": {machine: machine{has: []string{"apt-get"}, root: true, brings: "chromium", fails: "update"}, path: "/usr/bin/chromium", ran: []string{update, install}},
		"missing, without root": {machine: machine{has: []string{"apt-get"}}, err: []string{
			"none of chromium, chromium-browser, google-chrome, google-chrome-stable is in PATH", "only root can install it", "sudo apt-get install chromium"}},
		"missing, and no apt-get": {machine: machine{root: true}, err: []string{"no apt-get", "Install Chromium or Chrome, and put it into PATH"}},
		"it cannot be installed": {machine: machine{has: []string{"apt-get"}, root: true, fails: "install"}, ran: []string{update, install},
			err: []string{"install it by hand", "exit status 100"}},
		"a package without the program": {machine: machine{has: []string{"apt-get"}, root: true}, ran: []string{update, install},
			err: []string{"there is no such program in PATH"}},
	} {
		t.Run(name, func(t *testing.T) {
			path, err := c.find()
			if path != c.path || (err != nil) != (c.err != nil) {
				t.Fatalf("%q, %v", path, err)
			}
			for _, text := range c.err {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("there is no %q in %v", text, err)
				}
			}
			if !slices.Equal(c.machine.ran, c.ran) {
				t.Errorf("it ran %q", c.machine.ran)
			}
			if len(c.ran) > 0 && len(c.notices) != 3 {
				t.Errorf("it says %q before it installs anything", c.notices)
			}
		})
	}
}
