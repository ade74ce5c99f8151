package harness

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCPUControllerOfBothVersions(t *testing.T) {
	for name, c := range map[string]struct {
		cgroups, dir string
		v2           bool
	}{
		"v1":     {"3:memory:/x\n1:cpu,cpuacct:/pod\n0::/\n", "/sys/fs/cgroup/cpu/pod", false},
		"v2":     {"0::/user.slice/a\n", "/sys/fs/cgroup/user.slice/a", true},
		"hybrid": {"0::/\n9:cpu:/\n", "/sys/fs/cgroup/cpu", false},
	} {
		dir, v2, err := cpuController(c.cgroups)
		if err != nil || dir != c.dir || v2 != c.v2 {
			t.Errorf("%s: got %q, %v, %v; want %q, %v", name, dir, v2, err, c.dir, c.v2)
		}
	}
	if _, _, err := cpuController("2:memory:/\n"); err == nil {
		t.Error("no error without a cpu controller")
	}
}

func TestCPUGroupHasItsQuotaAndGoesAway(t *testing.T) {
	g, err := newCPUGroup(0.5)
	if err != nil {
		t.Skipf("cgroups cannot be made here: %v", err)
	}
	v1, _ := os.ReadFile(filepath.Join(g.dir, "cpu.cfs_quota_us"))
	v2, _ := os.ReadFile(filepath.Join(g.dir, "cpu.max"))
	if got := string(v1) + string(v2); got != "50000\n" && got != "50000 100000\n" {
		t.Errorf("the quota is %q", got)
	}
	if err := g.remove(); err != nil {
		t.Error(err)
	}
}
