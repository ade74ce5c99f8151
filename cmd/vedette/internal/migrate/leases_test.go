package migrate

import (
	"path/filepath"
	"slices"
	"testing"

	"vedette.dev/cmd/vedette/internal/gomod"
)

func TestShortLeases(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "elect/constants.go"), `package elect

import "time"

const (
	deadline = tick * 5
	tick     = 100 * time.Millisecond
	loop     = endless
	endless  = loop
	twice    = time.Second
)
`)
	write(t, filepath.Join(dir, "elect/elect.go"), `package elect

func set(c *leaderelection.LeaderElectionConfig, o *config.LeaderElectionConfiguration) {
	const twice = time.Millisecond
	c.RenewDeadline = 500 * time.Millisecond
	c.RenewDeadline = deadline
	c.LeaseDuration, c.RetryPeriod = time.Second/2, tick
	o.LeaseDuration = metav1.Duration{Duration: 600 * time.Millisecond}
	o.RenewDeadline = metav1.Duration{tick}
	o.RenewDeadline.Duration = tick
	_ = manager.Options{
		LeaseDuration: ptr.To(2 * tick),
		RenewDeadline: &metav1.Duration{Duration: time.Duration(5)},
		RetryPeriod:   &tick,
	}
	c.RenewDeadline = loop
	c.RenewDeadline = twice
	c.RenewDeadline = 2 * time.Second
	c.RenewDeadline = time.Second / 0
	c.RenewDeadline = measure(5)
	o.Timeout.Duration = tick
	c.LeaseDuration += tick
}
`)
	write(t, filepath.Join(dir, "dhcp/dhcp.go"), "package dhcp\n\nvar c = config{LeaseDuration: 5}\n")
	m := &migration{mod: &gomod.Module{Dir: dir}, report: &Report{Stays: map[string]int{}}, applied: map[string]bool{}, elections: map[string]*election{}}
	for _, name := range []string{"elect/constants.go", "elect/elect.go", "dhcp/dhcp.go"} {
		s, err := readSource(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		m.rewrite(s)
	}
	var lines []int
	for _, item := range m.report.ByHand {
		if item.File != filepath.Join("elect", "elect.go") {
			t.Errorf("%s: %s", item, item.Text)
		}
		lines = append(lines, item.Line)
	}
	if want := []int{5, 6, 7, 8, 9, 10, 12, 13}; !slices.Equal(lines, want) {
		t.Errorf("short leases in lines %v, want %v: %v", lines, want, m.report.ByHand)
	}
}
