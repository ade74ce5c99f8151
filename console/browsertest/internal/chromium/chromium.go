// Package chromium finds the browser that the tests drive, and installs it where it is missing and that can be done.
//
//   - [Find] takes what is in PATH. Where there is none, root on a machine with apt-get installs it; for other users the error says what to do.
//
// A browser that cannot be had is an error, and never a reason to leave the tests out.
package chromium

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// names are those that it has in the distributions.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// system is the machine, as far as it matters here.
type system struct {
	lookPath func(name string) (string, error)
	root     bool
	run      func(path string, args ...string) error
	say      func(text string)
}

// Find finds the browser, or installs it.
func Find() (string, error) {
	return system{
		lookPath: exec.LookPath,
		root:     os.Geteuid() == 0,
		run:      run,
		say:      func(text string) { fmt.Fprintln(os.Stderr, "browsertest:", text) },
	}.find()
}

func (s system) find() (string, error) {
	if path := s.look(); path != "" {
		return path, nil
	}
	apt, err := s.lookPath("apt-get")
	missing := "there is no Chromium: none of " + strings.Join(names, ", ") + " is in PATH"
	switch {
	case err != nil:
		return "", errors.New(missing + ", and there is no apt-get to install it with. Install Chromium or Chrome, and put it into PATH")
	case !s.root:
		return "", errors.New(missing + ", and only root can install it. Run this once, then the tests again: sudo apt-get install chromium")
	}
	s.say(missing + "; installing it")
	return s.install(apt)
}

func (s system) look() string {
	for _, name := range names {
		if path, err := s.lookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// install installs the browser. Lists of packages that cannot be brought up to date may do all the same: of several sources, one that
// has nothing to do with it may be out of reach.
func (s system) install(apt string) (string, error) {
	outdated := s.apt(apt, "update")
	if err := s.apt(apt, "install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"); err != nil {
		return "", fmt.Errorf("no Chromium can be installed; install it by hand, and put it into PATH: %w", errors.Join(err, outdated))
	}
	path := s.look()
	if path == "" {
		return "", errors.New("apt-get has installed the package chromium, and there is no such program in PATH; install Chromium or Chrome by hand")
	}
	return path, nil
}

// apt runs apt-get, which waits for others who install something.
func (s system) apt(path string, args ...string) error {
	args = append([]string{"-o", "DPkg::Lock::Timeout=300"}, args...)
	s.say(path + " " + strings.Join(args, " "))
	if err := s.run(path, args...); err != nil {
		return fmt.Errorf("apt-get %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// run runs a program that asks nothing, and shows what it says.
func run(path string, args ...string) error {
	command := exec.Command(path, args...)
	command.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	return command.Run()
}
