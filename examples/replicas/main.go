// Replicas runs three replicas of a controller that share the work, as processes. One is killed, and the others take over its
// shards; one is told to stop, and hands its shards over first. replica.go is the program that each of them runs.
//
// Without flags it starts an API server in this process and the replicas, and ends after some seconds. With -page 127.0.0.1:8080 the
// first replica shows the live page there, and replicas are killed and started until Ctrl-C.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/runner"
	"vedette.dev/shardgroup"
)

func main() {
	options := runner.Options{QPS: -1} // at 5 a second, which is the default, 200 tasks take a while
	options.AddFlags(flag.CommandLine)
	identity := flag.String("replica", "", "run one replica of this name, on the cluster of -kubeconfig")
	page := flag.String("page", "", "address for the live page of the first replica")
	flag.Parse()
	var err error
	if *identity != "" {
		err = replica(context.Background(), options, *identity)
	} else {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = show(ctx, *page)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// tasks is how many tasks there are.
const tasks = 200

// scene is the server and the replicas on it.
type scene struct {
	server     *apitest.Server
	kubeconfig string
	page       string
	began      time.Time
	replicas   map[string]*exec.Cmd
}

func show(ctx context.Context, page string) error {
	server, err := apitest.Start(apitest.Config{})
	if err != nil {
		return err
	}
	defer server.Close()
	for i := range tasks {
		task := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("task-", i), Namespace: namespace, Labels: map[string]string{label: ""}}}
		if _, err := server.Create(ctx, task); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "replicas")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &scene{server: server, kubeconfig: filepath.Join(dir, "kubeconfig"), page: page, began: time.Now(), replicas: map[string]*exec.Cmd{}}
	if err := os.WriteFile(s.kubeconfig, server.Kubeconfig(), 0o600); err != nil {
		return err
	}
	defer s.end()
	s.say("vedette shards %s -n %s --kubeconfig %s shows the group from another terminal", groupName, namespace, s.kubeconfig)
	for _, name := range []string{"one", "two", "three"} {
		if err := s.start(name); err != nil {
			return err
		}
	}
	if err := s.settle(ctx, 3, "three replicas have started"); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if err := s.kill("two"); err != nil {
			return err
		}
		if err := s.settle(ctx, 2, "two was killed (kill -9)"); err != nil {
			return err
		}
		if err := s.start("two"); err != nil {
			return err
		}
		if err := s.settle(ctx, 3, "two is back"); err != nil {
			return err
		}
		if err := s.stop("three"); err != nil {
			return err
		}
		if err := s.settle(ctx, 2, "three was told to stop"); err != nil {
			return err
		}
		if page == "" || ctx.Err() != nil {
			return nil
		}
		if err := s.start("three"); err != nil {
			return err
		}
		if err := s.settle(ctx, 3, "three is back"); err != nil {
			return err
		}
	}
}

func (s *scene) say(format string, args ...any) {
	fmt.Printf("%5.1f s  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}

// start runs this program again, as a replica.
func (s *scene) start(name string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	page := "127.0.0.1:0"
	if name == "one" && s.page != "" {
		page = s.page
		s.say("the live page is at http://%s/debug/vedette/", page)
	}
	cmd := exec.Command(self, "-replica", name, "-kubeconfig", s.kubeconfig, "-health-probe-bind-address", page)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	s.replicas[name] = cmd
	return nil
}

// kill ends a replica as a crash does.
func (s *scene) kill(name string) error {
	cmd := s.replicas[name]
	delete(s.replicas, name)
	err := cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	return err
}

// stop tells a replica to stop, and waits until it has.
func (s *scene) stop(name string) error {
	cmd := s.replicas[name]
	delete(s.replicas, name)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("replica %s: %w", name, err)
	}
	return nil
}

func (s *scene) end() {
	for name := range s.replicas {
		_ = s.kill(name)
	}
}

// settle waits until a number of replicas share all shards, and have worked on all tasks.
func (s *scene) settle(ctx context.Context, replicas int, what string) error {
	s.say("%s", what)
	began, why := time.Now(), ""
	for time.Since(began) < time.Minute {
		var text string
		var err error
		if text, why, err = s.look(ctx, replicas); err != nil {
			return err
		}
		if why == "" {
			s.say("all %d tasks are done by their owners, %.1f s later: %s", tasks, time.Since(began).Seconds(), text)
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil
		}
	}
	return fmt.Errorf("not within a minute: %s", why)
}

// look returns who has which shards, and why that is not as it should be yet.
func (s *scene) look(ctx context.Context, replicas int) (text, why string, err error) {
	group, err := shardgroup.Read(ctx, s.server.RESTConfig(), namespace, groupName)
	if err != nil {
		return "", err.Error(), nil // there is none yet
	}
	var owners []string
	for _, m := range group.Members {
		if m.Shards > 0 {
			owners = append(owners, fmt.Sprintf("%s has %d shards", m.Name, m.Shards))
		}
	}
	text = strings.Join(owners, ", ")
	if len(owners) != replicas || slices.ContainsFunc(group.Shards, func(one shardgroup.ShardState) bool { return one.Phase != "owned" }) {
		return text, "the shards are not divided: " + text, nil
	}
	objects, _, err := s.server.List(ctx, corev1.SchemeGroupVersion.WithResource("configmaps"), namespace)
	if err != nil {
		return "", "", err
	}
	open := 0
	for _, obj := range objects {
		task := obj.(*corev1.ConfigMap)
		_, isTask := task.Labels[label]
		owned := slices.ContainsFunc(group.Shards, func(one shardgroup.ShardState) bool {
			return one.Owner == task.Annotations[workerKey] && fmt.Sprint(one.Epoch) == task.Annotations[shardgroup.EpochAnnotation]
		})
		if isTask && !owned {
			open++
		}
	}
	if open > 0 {
		return text, fmt.Sprintf("%d tasks are not done by their owners", open), nil
	}
	return text, "", nil
}
