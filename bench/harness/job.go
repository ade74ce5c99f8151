package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// ChildCommand is the first argument of a process that takes one measurement.
const ChildCommand = "measure"

// Job is one measurement: what the parent process asks of its child.
type Job struct {
	Workload, Side string
	Repeat         int
	Scale          float64
	Profiles       Profiles
	// CPUGroup is the folder of the cgroup that the child enters before it measures, or empty.
	CPUGroup string
}

func (j Job) String() string {
	return fmt.Sprintf("%s on %s, repeat %d", j.Workload, j.Side, j.Repeat)
}

// file names a file of this job, unique within a run.
func (j Job) file(kind string) string {
	return fmt.Sprintf("%s.%s.%d.%s", strings.ReplaceAll(j.Workload, "/", "_"), j.Side, j.Repeat, kind)
}

// args are the child's arguments. The child reads them back with [Serve].
func (j Job) args() ([]string, error) {
	spec, err := json.Marshal(j)
	return []string{ChildCommand, string(spec)}, err
}

// Serve is the child's side: it takes the one measurement that args (those after
// [ChildCommand]) ask for, and writes its sample to out.
func Serve(args []string, workloads []Workload, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("%s takes one job, got %d arguments", ChildCommand, len(args))
	}
	var j Job
	if err := json.Unmarshal([]byte(args[0]), &j); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	if j.CPUGroup != "" {
		return j.enterGroup()
	}
	for _, w := range workloads {
		if w.Name == j.Workload {
			return serve(j, w, out)
		}
	}
	return fmt.Errorf("no workload %q", j.Workload)
}

// enterGroup starts the child once more, in the job's cgroup.
func (j Job) enterGroup() error {
	g := cpuGroup{j.CPUGroup}
	j.CPUGroup = ""
	args, err := j.args()
	if err != nil {
		return err
	}
	return fmt.Errorf("enter cgroup: %w", g.enter(args))
}

func serve(j Job, w Workload, out io.Writer) error {
	sample, err := Measure(w, Config{Side: j.Side, Scale: j.Scale}, j.Profiles)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(sample)
}
