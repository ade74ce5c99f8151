//go:build unix

package process

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// endVariable tells a test binary to start a keeper, to say so, and then to end in this way.
const endVariable = "PROCESS_TEST_END"

func TestMain(m *testing.M) {
	if end := os.Getenv(endVariable); end != "" {
		keepAndEnd(end)
	}
	goleak.VerifyTestMain(m)
}

func keepAndEnd(end string) {
	k, err := NewKeeper("keeper-test-")
	if err != nil {
		panic(err)
	}
	p, err := k.Start(sleeper(k))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.PID(), k.Dir())
	switch end {
	case "exit":
		os.Exit(3)
	case "panic":
		panic("as told")
	default:
		select {} // until killed
	}
}

func sleeper(k *Keeper) Command { return shell(k, "echo hello; exec sleep 1000") }

func shell(k *Keeper, script string) Command {
	return Command{Name: "sleeper", Path: "/bin/sh", Args: []string{"-c", script}, Log: filepath.Join(k.Dir(), "log")}
}

func newKeeper(t *testing.T) *Keeper {
	t.Helper()
	k, err := NewKeeper("keeper-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

func startIn(t *testing.T, k *Keeper, c Command) *Process {
	t.Helper()
	p, err := k.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCloseEndsProcessesAndRemovesTheFolder(t *testing.T) {
	k := newKeeper(t)
	pids := []int{startIn(t, k, sleeper(k)).PID(), startIn(t, k, sleeper(k)).PID(), k.shell.Process.Pid}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
	if exists(k.Dir()) {
		t.Errorf("%s is still there", k.Dir())
	}
	if _, err := k.Start(sleeper(k)); err == nil {
		t.Error("a closed keeper starts processes")
	}
}

// However the owner ends, nothing remains.
func TestNothingOutlivesTheProgram(t *testing.T) {
	for _, end := range []string{"exit", "panic", "SIGINT", "SIGTERM", "SIGKILL"} {
		t.Run(end, func(t *testing.T) {
			owner, pid, dir := startOwner(t, end)
			switch end {
			case "SIGINT":
				signal(t, owner, syscall.SIGINT)
			case "SIGTERM":
				signal(t, owner, syscall.SIGTERM)
			case "SIGKILL":
				signal(t, owner, syscall.SIGKILL)
			}
			_ = owner.Wait()
			eventually(t, fmt.Sprintf("process %d is gone", pid), func() bool { return !alive(pid) })
			eventually(t, dir+" is gone", func() bool { return !exists(dir) })
		})
	}
}

func startOwner(t *testing.T, end string) (owner *exec.Cmd, pid int, dir string) {
	t.Helper()
	owner = exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), endVariable+"="+end)
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	first, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
	if pid, err = strconv.Atoi(first); err != nil {
		t.Fatal(err)
	}
	return owner, pid, dir
}

// The shell alone, as where the kernel does not help.
func TestShellKillsWhatItWasToldOf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	victim, spared := exec.Command("sleep", "1000"), exec.Command("sleep", "1000")
	if err := errors.Join(victim.Start(), spared.Start()); err != nil {
		t.Fatal(err)
	}
	k := &Keeper{dir: dir}
	if err := k.startShell(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(k.pipe, "%d\n%d\n", spared.Process.Pid, victim.Process.Pid) // the last line counts
	if err := errors.Join(k.pipe.Close(), k.shell.Wait()); err != nil {
		t.Error(err)
	}
	if err := victim.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the process ended with %v", err)
	}
	if exists(dir) {
		t.Error("the folder is still there")
	}
	if !alive(spared.Process.Pid) {
		t.Error("a process that is no longer ours was killed")
	}
	signal(t, spared, syscall.SIGKILL)
	_ = spared.Wait()
}

// A pid may be reused once its process has ended.
func TestShellForgetsProcessesThatEnd(t *testing.T) {
	k := newKeeper(t)
	p := startIn(t, k, shell(k, "exit 0"))
	<-p.Done()
	eventually(t, "the keeper has forgotten it", func() bool {
		k.mu.Lock()
		defer k.mu.Unlock()
		return len(k.running) == 0
	})
}

func TestKeeperSaysThatItsShellIsGone(t *testing.T) {
	k := newKeeper(t)
	signal(t, k.shell, syscall.SIGKILL)
	eventually(t, "Start fails", func() bool {
		_, err := k.Start(sleeper(k))
		return err != nil && strings.Contains(err.Error(), "shell")
	})
}

func signal(t *testing.T, cmd *exec.Cmd, s syscall.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// alive is false for a process that is dead and waits for its parent to notice, as orphans in a container may for long.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// eventually waits for what other processes do, of which there is no other sign.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after 20 seconds: %s", what)
		}
	}
}
