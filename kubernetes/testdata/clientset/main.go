// Clientset lists and watches pods with the clientset.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

func main() {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: os.Args[1]})
	if err != nil {
		log.Fatal(err)
	}
	pods := client.CoreV1().Pods("")
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
