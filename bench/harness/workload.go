package harness

import "time"

// Workload is one comparison of two implementations.
type Workload struct {
	// Name is group/what, for example "queue/hot-4x4".
	Name string

	// Doc says in one line what happens in the measured section.
	Doc string

	// Sides are the implementations compared. The zero value means client-go and vedette.
	Sides Sides

	// Rows are the lines this workload fills in the table. The first one also carries the
	// columns of processor time and memory. None means one row with the elapsed time and no aim.
	Rows []Row

	// Together is the same for workloads that are listed one after the other and have the same
	// baseline. They are measured together, and the baseline once for all of them. Empty means
	// that the workload is measured by itself.
	Together string

	// MaxRepeats limits the number of repeats of a workload that takes long. Zero means no limit.
	// Workloads that are measured together have the same.
	MaxRepeats int

	// Quota is how many cores the process of a measurement may use, enforced by a cgroup. Zero means that
	// there is no quota. Where cgroups cannot be made, the workload is skipped.
	Quota float64

	// Memory is how many bytes a measurement may need. Before the first, as much is taken once from
	// the system and given back: on a virtual machine the first to touch a page waits for the host.
	Memory uint64

	// Prepare builds everything the measured section needs; it is not measured.
	Prepare func(Config) (Trial, error)
}

// sides returns the workload's sides with the default filled in.
func (w Workload) sides() Sides {
	if w.Sides == (Sides{}) {
		return Sides{Baseline: ClientGo, Candidate: Vedette}
	}
	return w.Sides
}

// rows returns the workload's rows with the default filled in.
func (w Workload) rows() []Row {
	if len(w.Rows) == 0 {
		return []Row{{Value: Wall}}
	}
	return w.Rows
}

// The sides of a workload that does not name its own.
const (
	ClientGo = "client-go"
	Vedette  = "vedette"
)

// Sides names what is compared. A workload without a Baseline runs the candidate alone and
// can have absolute aims only.
type Sides struct {
	Baseline, Candidate string
}

// EachSide lists the sides that the workload runs on.
func (w Workload) EachSide() []string {
	s := w.sides()
	if s.Baseline == "" {
		return []string{s.Candidate}
	}
	return []string{s.Baseline, s.Candidate}
}

// Row is one figure of a workload; for every figure less is better.
type Row struct {
	// Value names the figure: one of those [Measure] takes, such as [Wall], or one that the
	// trial reports.
	Value string
	Unit  Unit
	Aim   Aim
}

// Config is what a trial is prepared for.
type Config struct {
	Side string

	// Scale multiplies the sizes of the workload; 1 is the size its Doc speaks of.
	Scale float64
}

// Size scales a number of things, but never below atLeast, so that a tiny run still
// exercises every path.
func (c Config) Size(n, atLeast int) int {
	return max(atLeast, int(float64(n)*c.Scale))
}

// Window scales a stretch of time in the same way.
func (c Config) Window(d, atLeast time.Duration) time.Duration {
	return max(atLeast, time.Duration(float64(d)*c.Scale))
}

// Trial is one prepared run on one side.
type Trial interface {
	// Ops is the number of operations that per-operation figures are divided by.
	Ops() int

	// Run is the measured section. Whatever it leaves reachable from the trial counts as
	// kept heap, so an implementation should not be shut down here.
	Run()

	// Finish ends what Run left running, checks that the work was really done, and
	// returns the trial's own figures.
	Finish() (Sample, error)
}

// Sample holds figures by name.
type Sample map[string]float64
