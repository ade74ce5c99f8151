// Typed lists and watches pods with the client of one group.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
)

func main() {
	client, err := corev1.NewForConfig(&rest.Config{Host: os.Args[1]})
	if err != nil {
		log.Fatal(err)
	}
	pods := client.Pods("")
	list, err := pods.List(context.Background(), metav1.ListOptions{})
	if err != nil {
		log.Fatal(err)
	}
	changes, err := pods.Watch(context.Background(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		log.Fatal(err)
	}
	for change := range changes.ResultChan() {
		fmt.Println(change.Type, change.Object)
	}
}
