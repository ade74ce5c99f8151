package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/internal/sites"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/runner"
)

// demo runs the operator on an API server in this process, and shows the life of a site.
func demo(ctx context.Context) error {
	server, err := apitest.Start(apitest.Config{})
	if err != nil {
		return err
	}
	defer server.Close()
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, 4, runner.Config{RESTConfig: server.RESTConfig()}) }()
	err = show(ctx, server.RESTConfig())
	stop()
	if ran := <-ended; err == nil {
		err = ran
	}
	return err
}

func show(ctx context.Context, config *rest.Config) error {
	kinds, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := sites.Install(ctx, kinds, resource); err != nil {
		return err
	}
	all, err := gentype.NewForConfig[sites.Site](config, resource)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	api, pages := all.In("default"), client.CoreV1().ConfigMaps("default")
	site := &sites.Site{ObjectMeta: metav1.ObjectMeta{Name: "home"}, Spec: sites.SiteSpec{Pages: 3, Text: "hello"}}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"a site with 3 pages", func() error { _, err := api.Create(ctx, site, metav1.CreateOptions{}); return err }},
		{"page 1 is deleted by hand", func() error { return pages.Delete(ctx, "home-1", metav1.DeleteOptions{}) }},
		{"the site wants 2 pages and another text", func() error {
			site, err := api.Get(ctx, "home", metav1.GetOptions{})
			if err != nil {
				return err
			}
			site.Spec = sites.SiteSpec{Pages: 2, Text: "good evening"}
			_, err = api.Update(ctx, site, metav1.UpdateOptions{})
			return err
		}},
		{"the site is deleted", func() error { return api.Delete(ctx, "home", metav1.DeleteOptions{}) }},
	} {
		fmt.Println(step.what)
		if err := step.do(); err != nil {
			return err
		}
		time.Sleep(500 * time.Millisecond) // slow enough to follow
		if err := print(ctx, client, api); err != nil {
			return err
		}
	}
	return nil
}

// print prints the objects on the server.
func print(ctx context.Context, client kubernetes.Interface, api *gentype.Custom[sites.Site]) error {
	list, err := api.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, site := range list.Items {
		fmt.Printf("  site %s: wants %d pages, has %d\n", site.Name, site.Spec.Pages, site.Status.Pages)
	}
	pages, err := client.CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, page := range pages.Items {
		if metav1.GetControllerOf(&page) != nil {
			fmt.Printf("  page %s: %s\n", page.Name, page.Data["text"])
		}
	}
	events, err := client.CoreV1().Events("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	fmt.Printf("  %d events\n", len(events.Items))
	return nil
}
