package apitest_test

import (
	"context"
	"fmt"
	"log"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
)

// The first two lists of pods fail, as if etcd were electing a leader. The third one is fine.
func ExampleServer_Inject() {
	server, err := apitest.Start(apitest.Config{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()

	fault, err := server.Inject(apitest.Fault{
		Match:  apitest.Match{Verbs: []string{"list"}, Resource: "pods"},
		Effect: apitest.AnswerInternalError,
		Times:  2,
	})
	if err != nil {
		log.Fatal(err)
	}

	client := kubernetes.NewForConfigOrDie(server.RESTConfig())
	for range 3 {
		list, err := client.CoreV1().Pods("default").List(context.Background(), metav1.ListOptions{})
		if err != nil {
			fmt.Println("failed:", err)
			continue
		}
		fmt.Println("pods:", len(list.Items))
	}
	fmt.Println("hits:", fault.Hits())
	// Output:
	// failed: etcdserver: leader changed
	// failed: etcdserver: leader changed
	// pods: 0
	// hits: 2
}

// A fault as text, as it comes from a command line.
func ExampleParseFault() {
	fault, err := apitest.ParseFault("list,watch pods namespace=default: 429 retry-after=5s times=3")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(fault.Effect, fault.RetryAfter, fault.Match.Verbs)

	_, err = apitest.ParseFault("list pods: duplicate")
	fmt.Println(err)
	// Output:
	// 429 5s [list watch]
	// apitest: fault "list pods: duplicate": Fault.Effect "duplicate" is for watches, but Match.Verbs does not have watch
}
