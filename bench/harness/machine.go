package harness

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Machine says where a run took place and with which versions, as far as it can be found
// out. It names neither the host nor its folders, so that a record can be published.
type Machine struct {
	CPU      string
	Cores    int
	Procs    int // GOMAXPROCS
	Memory   string
	System   string
	Go       string
	ClientGo string
	Runtime  string // controller-runtime
	Vedette  string

	// Load is the load average when the run began. Other work does not just add time: it
	// leaves fewer processors to contend, which makes contended workloads look fast.
	Load string
}

// ThisMachine describes the machine and the program that is running. It is called before the
// run, whose own load would count otherwise.
func ThisMachine() Machine {
	return Machine{
		CPU:      orElse(procField("/proc/cpuinfo", "model name"), runtime.GOARCH),
		Cores:    runtime.NumCPU(),
		Procs:    runtime.GOMAXPROCS(0),
		Memory:   memory(),
		System:   system(),
		Go:       runtime.Version(),
		ClientGo: moduleVersion("k8s.io/client-go"),
		Runtime:  moduleVersion("sigs.k8s.io/controller-runtime"),
		Vedette:  commit(),
		Load:     load(),
	}
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

// procField is the first value of "name : value" in a file of that form, or "".
func procField(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return "" // not Linux
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func memory() string {
	kib, _, _ := strings.Cut(procField("/proc/meminfo", "MemTotal"), " ")
	n, err := strconv.ParseFloat(kib, 64)
	if err != nil {
		return ""
	}
	return Bytes.format(n * 1024)
}

func system() string {
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return strings.TrimSpace(runtime.GOOS + "/" + runtime.GOARCH + " " + string(kernel))
}

// load is the average over the last minute.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	minute, _, _ := strings.Cut(string(text), " ")
	return minute
}

func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}

// commit is the state of the source tree the program is run from, or "" outside of one.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
