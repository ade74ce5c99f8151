package apitest_test

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/kubernetes"
)

func ExampleServer_Fill() {
	ctx := context.Background()
	server, err := apitest.Start(apitest.Config{InProcess: true})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	if err := server.Fill(ctx, apitest.Load{Pods: 2000, Namespaces: 4, Nodes: 10}); err != nil {
		panic(err)
	}
	client := kubernetes.NewForConfigOrDie(server.RESTConfig())
	list, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	fmt.Println(len(list.Items), list.Items[0].Status.Phase, err)
	// Output: 2000 Running <nil>
}

func ExampleServer_Churn() {
	ctx := context.Background()
	server, err := apitest.Start(apitest.Config{InProcess: true})
	if err != nil {
		panic(err)
	}
	defer server.Close()
	if err := server.Fill(ctx, apitest.Load{Pods: 100}); err != nil {
		panic(err)
	}
	churn, err := server.Churn(ctx, apitest.Churn{Rate: 1000, Mix: apitest.Mix{Updates: 9, Labels: 1}})
	if err != nil {
		panic(err)
	}
	for churn.Stats().Changes() < 100 { // in place of what is to be tested
		time.Sleep(time.Millisecond)
	}
	churn.Stop()
	fmt.Println(churn.Stats().Updates > churn.Stats().Labels)
	// Output: true
}
