package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// quotaPeriod is the period of the kernel's CPU quotas, in microseconds. Kubernetes uses the same.
const quotaPeriod = 100_000

// cpuGroup is a cgroup with a CPU quota, for the process of one measurement.
type cpuGroup struct{ dir string }

// newCPUGroup makes a group for processes that may use that many cores together. It fails where the
// program may not make groups: without a cgroup filesystem, without the rights, or, with cgroup v2,
// in a group that cannot have subgroups with a CPU quota.
func newCPUGroup(cores float64) (cpuGroup, error) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return cpuGroup{}, err
	}
	parent, v2, err := cpuController(string(text))
	if err != nil {
		return cpuGroup{}, err
	}
	if v2 {
		if err := os.WriteFile(filepath.Join(parent, "cgroup.subtree_control"), []byte("+cpu"), 0o644); err != nil {
			return cpuGroup{}, err
		}
	}
	dir, err := os.MkdirTemp(parent, "vedette-bench-")
	if err != nil {
		return cpuGroup{}, err
	}
	g := cpuGroup{dir}
	if err := g.limit(int(cores*quotaPeriod), v2); err != nil {
		return cpuGroup{}, errors.Join(err, g.remove())
	}
	return g, nil
}

// cpuController finds the folder of the group that a process is in, given its /proc/self/cgroup, in the
// hierarchy that has the CPU quotas.
func cpuController(cgroups string) (dir string, v2 bool, err error) {
	for line := range strings.Lines(cgroups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		if slices.Contains(strings.Split(parts[1], ","), "cpu") {
			return filepath.Join("/sys/fs/cgroup/cpu", parts[2]), false, nil
		}
		if parts[1] == "" {
			dir, v2 = filepath.Join("/sys/fs/cgroup", parts[2]), true
		}
	}
	if dir == "" {
		return "", false, errors.New("no cgroup hierarchy has the cpu controller")
	}
	return dir, v2, nil
}

func (g cpuGroup) limit(quota int, v2 bool) error {
	if v2 {
		return g.write("cpu.max", fmt.Sprintf("%d %d", quota, quotaPeriod))
	}
	return errors.Join(
		g.write("cpu.cfs_period_us", strconv.Itoa(quotaPeriod)),
		g.write("cpu.cfs_quota_us", strconv.Itoa(quota)),
	)
}

func (g cpuGroup) write(file, text string) error {
	return os.WriteFile(filepath.Join(g.dir, file), []byte(text), 0o644)
}

// remove removes the group. The processes in it must have ended.
func (g cpuGroup) remove() error { return os.Remove(g.dir) }

// enter moves this process into the group and starts the program again, with other arguments: the Go
// runtime reads the quota of its group when it starts.
func (g cpuGroup) enter(args []string) error {
	if err := g.write("cgroup.procs", strconv.Itoa(os.Getpid())); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(self, append([]string{self}, args...), os.Environ())
}
