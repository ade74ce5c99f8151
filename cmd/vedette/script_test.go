package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/clientcmd"
	clientcmdapi "vedette.dev/clientcmd/api"
)

func TestMain(m *testing.M) { testscript.Main(leakless{m}, map[string]func(){"vedette": main}) }

// leakless fails if goroutines are left.
type leakless struct{ *testing.M }

func (l leakless) Run() int {
	code := l.M.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return code
}

// Each script has a server of its own, with the objects of newServer and two users, one of whom may do nothing but look at what is
// served. testdata/README.md tells which commands there are.
func TestScripts(t *testing.T) {
	dir, few := "testdata/script", []string(nil)
	if testing.Short() {
		dir, few = "", []string{"testdata/script/explain_plain.txtar", "testdata/script/serve.txtar", "testdata/script/watch.txtar"}
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               few,
		Setup:               setup,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "start": start, "waitfor": waitFor, "interrupt": interrupt, "ends": ends,
			"label": label, "delete": deletePod, "setsecret": setSecret, "waitwatch": waitWatch, "waitcreate": waitCreate,
			"program": program, "hole": hole, "waithole": waitHole, "page": page, "address": pageOf, "hint": hint, "group": group,
		},
	})
}

const adminToken, viewerToken = "token-of-the-admin", "token-of-the-viewer"

// state is what belongs to a script.
type state struct {
	server   *apitest.Server
	ctx      context.Context
	programs map[string]*running
	watched  chan string   // which resources were
	created  chan string   // of which resources there are new objects
	fallen   chan struct{} // what came to the hole
}

func setup(env *testscript.Env) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	s := &state{ctx: ctx, programs: make(map[string]*running), watched: make(chan string, 1000), created: make(chan string, 1000), fallen: make(chan struct{}, 1000)}
	server, err := newServer(s)
	if err != nil {
		cancel()
		return err
	}
	s.server = server
	env.Values["state"] = s
	env.Defer(func() {
		for _, p := range s.programs {
			p.kill()
		}
		cancel()
		server.Close()
	})
	file := filepath.Join(env.WorkDir, "kubeconfig")
	if err := writeKubeconfig(file, server); err != nil {
		return err
	}
	env.Setenv("KUBECONFIG", file)
	env.Setenv("SERVER", server.URL())
	env.Setenv("HOME", env.WorkDir)
	return nil
}

func of(ts *testscript.TestScript) *state { return ts.Value("state").(*state) }

func newServer(s *state) (*apitest.Server, error) {
	var objects []runtime.Object
	for _, p := range []struct{ name, node, app, owner string }{
		{"web-1", "node-a", "web", "web"}, {"web-2", "node-b", "web", "web"}, {"db-0", "node-a", "db", ""}, {"idle", "", "", ""},
	} {
		objects = append(objects, newPod("default", p.name, p.node, p.app, p.owner))
	}
	objects = append(objects, newPod("kube-system", "dns", "node-a", "dns", ""),
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "login", Namespace: "default", Annotations: map[string]string{
				"kubectl.kubernetes.io/last-applied-configuration": `{"data":{"password":"aHVudGVyMg=="}}`}},
			Data: map[string][]byte{"password": []byte("hunter2")},
		},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "big", Namespace: "default"}, Data: map[string]string{"text": strings.Repeat("x", 5000)}})
	allow := func(r *apitest.Request) bool {
		if r.Verb == "watch" {
			s.watched <- r.Resource.Resource
		}
		if r.Verb == "create" {
			select {
			case s.created <- r.Resource.Resource:
			default: // enough to know of
			}
		}
		return !r.IsResource || r.User.Name == "admin"
	}
	return apitest.Start(apitest.Config{Objects: objects, Allow: allow, Tokens: map[string]apitest.User{
		adminToken:  {Name: "admin", Groups: []string{"system:masters"}},
		viewerToken: {Name: "viewer", Groups: []string{"system:authenticated"}},
	}})
}

func newPod(namespace, name, node, app, owner string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, CreationTimestamp: metav1.NewTime(time.Now().Add(-time.Hour))},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "main", Image: "example.com/main:1"}}},
		Status:     corev1.PodStatus{Phase: corev1.PodPending},
	}
	if node != "" {
		pod.Status.Phase = corev1.PodRunning
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", Ready: true}}
	}
	if app != "" {
		pod.Labels = map[string]string{"app": app}
	}
	if owner != "" {
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: owner, UID: "1", Controller: new(true)}}
	}
	return pod
}

// writeKubeconfig writes one with the contexts admin, viewer, liar (a wrong token) and nowhere (no server).
func writeKubeconfig(file string, server *apitest.Server) error {
	config, err := clientcmd.Load(server.Kubeconfig())
	if err != nil {
		return err
	}
	config.Clusters["nowhere"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1"}
	for user, token := range map[string]string{"admin": adminToken, "viewer": viewerToken, "liar": "wrong"} {
		config.AuthInfos[user] = &clientcmdapi.AuthInfo{Token: token}
		config.Contexts[user] = &clientcmdapi.Context{Cluster: "apitest", AuthInfo: user}
	}
	config.Contexts["nowhere"] = &clientcmdapi.Context{Cluster: "nowhere", AuthInfo: "admin"}
	config.CurrentContext = "admin"
	return clientcmd.WriteToFile(*config, file)
}

// label changes a label of a pod, as the manager "labeller": label NAMESPACE/NAME KEY=VALUE.
func label(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	namespace, name, _ := strings.Cut(args[0], "/")
	key, value, _ := strings.Cut(args[1], "=")
	obj, err := s.server.Get(s.ctx, corev1.SchemeGroupVersion.WithResource("pods"), namespace, name)
	ts.Check(err)
	pod := obj.(*corev1.Pod)
	if pod.Labels == nil {
		pod.Labels = make(map[string]string)
	}
	pod.Labels[key] = value
	now := metav1.Now()
	fields := metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:` + key + `":{}}}}`)
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "labeller", Operation: "Update", APIVersion: "v1", Time: &now, FieldsType: "FieldsV1", FieldsV1: fields}}
	ts.Check(s.server.Put(pod))
}

func deletePod(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	namespace, name, _ := strings.Cut(args[0], "/")
	ts.Check(s.server.Delete(s.ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}))
}

// setSecret changes the value of the Secret: setsecret VALUE.
func setSecret(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	obj, err := s.server.Get(s.ctx, corev1.SchemeGroupVersion.WithResource("secrets"), "default", "login")
	ts.Check(err)
	obj.(*corev1.Secret).Data["password"] = []byte(args[0])
	ts.Check(s.server.Put(obj))
}
