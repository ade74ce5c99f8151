package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/gentype"
	"vedette.dev/kubernetes"
	"vedette.dev/ownwrites"
	"vedette.dev/record"
)

// finalizer keeps a site until its pages are gone.
const finalizer = "demo.vedette.dev/pages"

// byOwner is the index of pages by the UID of their site.
const byOwner = "owner"

func ownerUID(page *corev1.ConfigMap) ([]string, error) {
	if ref := metav1.GetControllerOf(page); ref != nil && ref.Kind == siteResource.Kind {
		return []string{string(ref.UID)}, nil
	}
	return nil, nil
}

// reconciler gives each site its pages.
type reconciler struct {
	sites    cache.TypedLister[*Site]
	sitesAPI *gentype.Custom[Site]
	// pages shows the pages as the informer knows them, and what this program has written since.
	pages    cache.TypedIndexer[*corev1.ConfigMap]
	own      *ownwrites.Tracker
	client   kubernetes.Interface
	recorder record.EventRecorder
}

func (r *reconciler) reconcile(ctx context.Context, name cache.ObjectName) (controller.Result, error) {
	site, err := r.sites.ByNamespace(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return controller.Result{}, nil // what it owned went before it
	}
	if err != nil {
		return controller.Result{}, err
	}
	if site.DeletionTimestamp != nil {
		return controller.Result{}, r.remove(ctx, site)
	}
	if !slices.Contains(site.Finalizers, finalizer) {
		if err := r.setFinalizers(ctx, site, append(slices.Clone(site.Finalizers), finalizer)); err != nil {
			return controller.Result{}, err
		}
	}
	count, err := r.writePages(ctx, site)
	return controller.Result{}, errors.Join(err, r.tell(ctx, site, count, err))
}

// writePages brings the pages of a site to what its spec says, and returns how many are as they should be.
func (r *reconciler) writePages(ctx context.Context, site *Site) (count int, err error) {
	pages, err := r.pages.ByTypedIndex(byOwner, string(site.UID))
	if err != nil {
		return 0, err
	}
	there := make(map[string]*corev1.ConfigMap)
	for _, page := range pages {
		there[page.Name] = page
	}
	for i := range site.Spec.Pages {
		name := fmt.Sprintf("%s-%d", site.Name, i)
		if err := r.writePage(ctx, site, name, there[name]); err != nil {
			return count, err
		}
		delete(there, name)
		count++
	}
	for _, page := range there { // more than there should be
		if err := r.deletePage(ctx, site, page); err != nil {
			return count, err
		}
	}
	return count, nil
}

func (r *reconciler) writePage(ctx context.Context, site *Site, name string, page *corev1.ConfigMap) error {
	api := ownwrites.Client(r.client.CoreV1().ConfigMaps(site.Namespace), r.own)
	switch {
	case page == nil:
		page = &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{site.owner()}},
			Data:       map[string]string{"text": site.Spec.Text},
		}
		_, err := api.Create(ctx, page, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("config map %s/%s is there and is not a page of this site; remove or rename one of them: %w", site.Namespace, name, err)
		}
		if err == nil {
			r.recorder.Eventf(site.reference(), corev1.EventTypeNormal, "Created", "created page %s", name)
		}
		return err
	case page.Data["text"] != site.Spec.Text:
		page = page.DeepCopy() // what the cache holds is for all to read
		page.Data = map[string]string{"text": site.Spec.Text}
		_, err := api.Update(ctx, page, metav1.UpdateOptions{})
		return err
	}
	return nil
}

func (r *reconciler) deletePage(ctx context.Context, site *Site, page *corev1.ConfigMap) error {
	api := ownwrites.Client(r.client.CoreV1().ConfigMaps(site.Namespace), r.own)
	// Not another one of the same name.
	err := api.Delete(ctx, page.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(page.UID))})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		r.recorder.Eventf(site.reference(), corev1.EventTypeNormal, "Deleted", "deleted page %s", page.Name)
	}
	return err
}

// remove deletes the pages of a site that is to go, and lets it go.
func (r *reconciler) remove(ctx context.Context, site *Site) error {
	if !slices.Contains(site.Finalizers, finalizer) {
		return nil
	}
	pages, err := r.pages.ByTypedIndex(byOwner, string(site.UID))
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := r.deletePage(ctx, site, page); err != nil {
			return err
		}
	}
	rest := slices.DeleteFunc(slices.Clone(site.Finalizers), func(f string) bool { return f == finalizer })
	err = r.setFinalizers(ctx, site, rest)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// setFinalizers writes the finalizers, unless somebody has written to the site since it was read.
func (r *reconciler) setFinalizers(ctx context.Context, site *Site, finalizers []string) error {
	return r.patch(ctx, site, map[string]any{
		"metadata": map[string]any{"finalizers": finalizers, "resourceVersion": site.ResourceVersion, "uid": site.UID},
	})
}

// tell writes the status, if there is something new to say.
func (r *reconciler) tell(ctx context.Context, site *Site, count int, trouble error) error {
	status := SiteStatus{Pages: count, ObservedGeneration: site.Generation}
	if trouble != nil {
		status.Message = trouble.Error()
	}
	if status == site.Status {
		return nil
	}
	return r.patch(ctx, site, map[string]any{"status": status}, "status")
}

func (r *reconciler) patch(ctx context.Context, site *Site, patch map[string]any, subresources ...string) error {
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = r.sitesAPI.In(site.Namespace).Patch(ctx, site.Name, types.MergePatchType, data, metav1.PatchOptions{}, subresources...)
	return err
}
