package binaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"vedette.dev/testenv/internal/controlplane"
)

// EnvDir is the environment variable that moves the cache.
const EnvDir = "VEDETTE_TESTENV_DIR"

// prefix begins the name of each folder that is ours. Clean removes nothing else: the user chooses the cache's folder,
// and may have chosen one with other things in it.
const prefix = "controlplane-"

// Set is the location of the programs.
type Set struct{ Dir string }

// Path returns the path of a program of the set.
func (s Set) Path(p controlplane.Program) string { return filepath.Join(s.Dir, p.Name) }

// Cache is a folder of sets, of which it gets one.
type Cache struct {
	dir      string
	recipe   recipe
	progress *progress
	// compile builds the programs of the recipe in a folder. Tests replace it.
	compile func(ctx context.Context, dir string) error
}

// New returns the user's cache for the control plane. Progress is written to progress.
func New(progress io.Writer) (*Cache, error) {
	return newInDefaultDir(progress, controlplane.APIServer, controlplane.Etcd)
}

// NewKubectl returns the user's cache for kubectl.
func NewKubectl(progress io.Writer) (*Cache, error) {
	return newInDefaultDir(progress, controlplane.Kubectl)
}

// NewControllerManager returns the user's cache for kube-controller-manager.
func NewControllerManager(progress io.Writer) (*Cache, error) {
	return newInDefaultDir(progress, controlplane.ControllerManager)
}

// NewControllerManagerOnVedette returns the user's cache for a kube-controller-manager whose client-go was patched by
// `vedette patch-client-go`. Both that command and what the informers run on are from vedette, a folder with the source.
func NewControllerManagerOnVedette(progress io.Writer, vedette string) (*Cache, error) {
	source, err := readTree(vedette)
	if err != nil {
		return nil, err
	}
	c, err := NewControllerManager(progress)
	if err != nil {
		return nil, err
	}
	c.setRecipe(c.recipe.onVedette(source))
	return c, nil
}

func newInDefaultDir(progress io.Writer, programs ...controlplane.Program) (*Cache, error) {
	dir, err := defaultDir()
	if err != nil {
		return nil, err
	}
	return newCache(dir, progress, programs...)
}

func newCache(dir string, out io.Writer, programs ...controlplane.Program) (*Cache, error) {
	r, err := currentRecipe(programs...)
	if err != nil {
		return nil, err
	}
	c := &Cache{dir: dir, progress: newProgress(out)}
	c.setRecipe(r)
	return c, nil
}

func (c *Cache) setRecipe(r recipe) {
	c.recipe, c.compile = r, compiler{recipe: r, progress: c.progress}.run
}

func defaultDir() (string, error) {
	if dir := os.Getenv(EnvDir); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to keep kube-apiserver and etcd in: %w (set %s to one)", err, EnvDir)
	}
	return filepath.Join(dir, "vedette", "testenv"), nil
}

// Dir is the folder of the cache.
func (c *Cache) Dir() string { return c.dir }

func (c *Cache) setDir() string { return filepath.Join(c.dir, prefix+c.recipe.key()) }

// Find returns the set if it exists, complete and unchanged. Otherwise the error describes the problem.
func (c *Cache) Find() (Set, error) {
	if err := verify(c.setDir(), c.recipe.names()...); err != nil {
		return Set{}, err
	}
	return Set{Dir: c.setDir()}, nil
}

// Get returns the set, and builds it if necessary. That can take minutes; cancel ctx to give up.
func (c *Cache) Get(ctx context.Context) (Set, error) {
	if set, err := c.Find(); err == nil {
		return set, nil
	}
	unlock, err := c.lock(ctx)
	if err != nil {
		return Set{}, err
	}
	defer unlock()
	set, err := c.Find() // the previous holder of the lock may have built it
	if err == nil {
		return set, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		c.progress.say("not using %s: %v", c.setDir(), err)
	}
	if err := c.build(ctx); err != nil {
		return Set{}, err
	}
	return c.Find()
}

// build builds the set in a temporary folder, and renames it when it is complete. The caller holds the lock.
func (c *Cache) build(ctx context.Context) (err error) {
	if err := c.removeUnfinished(); err != nil {
		return err
	}
	work, err := os.MkdirTemp(c.dir, unfinished)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	out := filepath.Join(work, "set")
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	if err := c.compile(ctx, out); err != nil {
		return err
	}
	if err := seal(out, c.recipe.names()...); err != nil {
		return err
	}
	return errors.Join(c.removeOutdated(), os.RemoveAll(c.setDir()), os.Rename(out, c.setDir()))
}

// removeOutdated removes the sets of earlier states of Vedette's source: there is a new one after each change.
func (c *Cache) removeOutdated() error {
	if c.recipe.patched == nil {
		return nil
	}
	return c.removeAll(prefix + c.recipe.variant())
}

// unfinished begins the names of folders of builds under way, or killed.
const unfinished = prefix + "building-"

func (c *Cache) removeUnfinished() error { return c.removeAll(unfinished) }

// Clean removes all sets, also those of other versions, and the folder if nothing else is in it.
func (c *Cache) Clean(ctx context.Context) error {
	if _, err := os.Stat(c.dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	unlock, err := c.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return errors.Join(c.removeAll(prefix), os.Remove(c.lockPath()), c.removeIfEmpty())
}

func (c *Cache) removeIfEmpty() error {
	if entries, err := os.ReadDir(c.dir); err != nil || len(entries) > 0 {
		return err
	}
	return os.Remove(c.dir)
}

func (c *Cache) removeAll(prefix string) error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			if err := os.RemoveAll(filepath.Join(c.dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
