package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vedette.dev/testenv"
	"vedette.dev/testenv/internal/binaries"
	"vedette.dev/testenv/internal/clusterdiff"
	"vedette.dev/testenv/internal/controlplane"
)

// The names of the sides.
const (
	stock   = "stock"
	patched = "patched"
	control = "control" // a second stock one, with -control
)

// run reports whether the objects of both sides are the same.
func run(ctx context.Context, o options, out, errs io.Writer) (bool, error) {
	programs, err := build(ctx, o, errs)
	if err != nil {
		return false, err
	}
	if o.out != "" {
		if err := os.MkdirAll(o.out, 0o755); err != nil {
			return false, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sides := []*side{{name: stock, program: programs[0]}}
	if o.control {
		sides = append(sides, &side{name: control, program: programs[0]})
	} else {
		sides = append(sides, &side{name: patched, program: programs[1], onVedette: true})
	}
	failed := make([]error, len(sides))
	var running sync.WaitGroup
	progress := &lines{out: errs, began: time.Now()}
	for i, s := range sides {
		s.options, s.progress = o, progress
		running.Go(func() {
			if err := s.run(ctx); err != nil {
				failed[i] = fmt.Errorf("%s: %w", s.name, err)
				cancel() // the other has nothing to be compared with
			}
		})
	}
	running.Wait()
	if err := firstCause(failed); err != nil {
		return false, err
	}
	result := clusterdiff.Compare(sides[0].objects, sides[1].objects, sides[0].name, sides[1].name)
	report(out, o, sides, result, time.Since(progress.began))
	return len(result.Differences) == 0, nil
}

// firstCause leaves out a side that ended because the other had failed.
func firstCause(failed []error) error {
	for _, err := range failed {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(failed...)
}

// build returns the paths of the stock program, and of the patched one unless only the former is needed.
func build(ctx context.Context, o options, progress io.Writer) ([]string, error) {
	if o.vedette == "" && !o.control {
		var err error
		if o.vedette, err = sourceOfVedette(ctx); err != nil {
			return nil, err
		}
	}
	first, err := binaries.NewControllerManager(progress)
	if err != nil {
		return nil, err
	}
	caches := []*binaries.Cache{first}
	if !o.control {
		second, err := binaries.NewControllerManagerOnVedette(progress, o.vedette)
		if err != nil {
			return nil, err
		}
		caches = append(caches, second)
	}
	if _, err := testenv.Programs(ctx, progress); err != nil {
		return nil, err
	}
	var paths []string
	for _, cache := range caches {
		set, err := cache.Get(ctx)
		if err != nil {
			return nil, err
		}
		paths = append(paths, set.Path(controlplane.ControllerManager))
	}
	return paths, nil
}

// lines prints progress of several sides.
type lines struct {
	mu    sync.Mutex
	out   io.Writer
	began time.Time
}

func (l *lines) say(side, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, "%4.0fs %-8s%s\n", time.Since(l.began).Seconds(), side, fmt.Sprintf(format, args...))
}

// save writes a file into the folder of -out, if there is one.
func (o options) save(name string, content []byte) error {
	if o.out == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(o.out, name), content, 0o644)
}
