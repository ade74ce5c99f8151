package execauth

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is the plugin, too: with this variable it does what the value says.
const modeVariable = "EXECAUTH_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		if err := beThePlugin(mode); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// beThePlugin is main of the plugin. It logs each run and what it was told to the file LOG.
func beThePlugin(mode string) error {
	if err := appendLine(os.Getenv("LOG"), os.Getenv(infoVariable)); err != nil {
		return err
	}
	switch mode {
	case "print": // the contents of the file OUT, once the file GATE is there
		waitFor(os.Getenv("GATE"))
		out, err := os.ReadFile(os.Getenv("OUT"))
		if err == nil {
			_, err = os.Stdout.Write(out)
		}
		return err
	case "fail": // after some words
		fmt.Println(`{"status":{"token":"stdout-secret"}}`)
		fmt.Fprint(os.Stderr, os.Getenv("WORDS"))
		os.Exit(7)
	case "flood":
		_, err := io.Copy(os.Stdout, io.LimitReader(zeros{}, 10*maxOutput))
		return err
	case "hang": // with a child that hangs too; their ids go to the file PIDS
		child := childThatHangs()
		if err := child.Start(); err != nil {
			return err
		}
		if err := writeWhole(os.Getenv("PIDS"), fmt.Appendf(nil, "%d %d", os.Getpid(), child.Process.Pid)); err != nil {
			return err
		}
		time.Sleep(time.Hour)
	case "child":
		time.Sleep(time.Hour)
	case "agent": // leaves a child behind that holds standard output
		child := childThatHangs()
		if err := child.Start(); err != nil {
			return err
		}
		if err := writeWhole(os.Getenv("PIDS"), fmt.Appendf(nil, "%d", child.Process.Pid)); err != nil {
			return err
		}
		fmt.Println(tokenAnswer("agent"))
	case "ask": // for the token, on standard input
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Println(tokenAnswer(strings.TrimSpace(line)))
		return err
	}
	return nil
}

func childThatHangs() *exec.Cmd {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), modeVariable+"=child")
	child.Stdout = os.Stdout
	return child
}

// writeWhole writes a file that is there as a whole or not at all.
func writeWhole(path string, data []byte) error {
	return errors.Join(os.WriteFile(path+".new", data, 0o600), os.Rename(path+".new", path))
}

func waitFor(path string) {
	for path != "" {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func appendLine(path, line string) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, line)
	return err
}

func tokenAnswer(token string) string {
	return fmt.Sprintf(`{"kind":"ExecCredential","apiVersion":%q,"status":{"token":%q}}`, apiV1, token)
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return copy(b, bytes.Repeat([]byte("0"), len(b))), nil }
