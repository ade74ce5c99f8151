package sharding

import "vedette.dev/bench/internal/subprocess"

// process is a server that runs in a process of its own.
type process struct {
	spec
	*subprocess.Process
}

// startServer returns when the server has its objects.
func startServer(s spec) (*process, error) {
	p, err := subprocess.Start(Command, s)
	if err != nil {
		return nil, err
	}
	return &process{s, p}, nil
}

// tell has the server do something, and returns when it has.
func (p *process) tell(o order) (report, error) {
	var done report
	err := p.Tell(o, &done)
	return done, err
}
