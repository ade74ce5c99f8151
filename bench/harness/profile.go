package harness

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
)

// Profiles are the files that a measurement leaves beside its figures; an empty name means
// none. The CPU profile covers the measured section, the memory profile the whole process.
type Profiles struct {
	CPU, Mem string

	cpu *os.File
}

func (p *Profiles) start() error {
	if p.CPU == "" {
		return nil
	}
	f, err := os.Create(p.CPU)
	if err != nil {
		return fmt.Errorf("cpu profile: %w", err)
	}
	p.cpu = f
	return pprof.StartCPUProfile(f)
}

func (p *Profiles) stop() error {
	return errors.Join(p.stopCPU(), p.writeMem())
}

func (p *Profiles) stopCPU() error {
	if p.cpu == nil {
		return nil
	}
	pprof.StopCPUProfile()
	return p.cpu.Close()
}

func (p *Profiles) writeMem() error {
	if p.Mem == "" {
		return nil
	}
	f, err := os.Create(p.Mem)
	if err != nil {
		return fmt.Errorf("memory profile: %w", err)
	}
	return errors.Join(pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}
