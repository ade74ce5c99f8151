package testing

import (
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/testing"
)

// The types are declared in internal/testing, which says why.

type (
	// Action is a request to a fake client.
	Action = testing.Action

	// GenericAction is for requests without an action of their own, such as reading logs.
	GenericAction = testing.GenericAction

	// GetAction reads an object.
	GetAction = testing.GetAction

	// ListAction reads the objects that a selector selects.
	ListAction = testing.ListAction

	// CreateAction creates an object.
	CreateAction = testing.CreateAction

	// UpdateAction replaces an object.
	UpdateAction = testing.UpdateAction

	// DeleteAction deletes an object.
	DeleteAction = testing.DeleteAction

	// DeleteCollectionAction deletes the objects that a selector selects.
	DeleteCollectionAction = testing.DeleteCollectionAction

	// PatchAction patches an object.
	PatchAction = testing.PatchAction

	// WatchAction watches the objects that a selector selects.
	WatchAction = testing.WatchAction

	// ProxyGetAction reads from a pod or a service.
	ProxyGetAction = testing.ProxyGetAction

	// ListRestrictions are the selectors of a list.
	ListRestrictions = testing.ListRestrictions

	// WatchRestrictions are the selectors of a watch, and its resource version.
	WatchRestrictions = testing.WatchRestrictions

	// ActionImpl is the common part of all actions.
	ActionImpl = testing.ActionImpl

	// GenericActionImpl is a GenericAction.
	GenericActionImpl = testing.GenericActionImpl

	// GetActionImpl is a GetAction.
	GetActionImpl = testing.GetActionImpl

	// ListActionImpl is a ListAction. Kind is that of an object in the list.
	ListActionImpl = testing.ListActionImpl

	// CreateActionImpl is a CreateAction. Name is that in the path of a subresource.
	CreateActionImpl = testing.CreateActionImpl

	// UpdateActionImpl is an UpdateAction.
	UpdateActionImpl = testing.UpdateActionImpl

	// PatchActionImpl is a PatchAction.
	PatchActionImpl = testing.PatchActionImpl

	// DeleteActionImpl is a DeleteAction.
	DeleteActionImpl = testing.DeleteActionImpl

	// DeleteCollectionActionImpl is a DeleteCollectionAction.
	DeleteCollectionActionImpl = testing.DeleteCollectionActionImpl

	// WatchActionImpl is a WatchAction.
	WatchActionImpl = testing.WatchActionImpl

	// ProxyGetActionImpl is a ProxyGetAction.
	ProxyGetActionImpl = testing.ProxyGetActionImpl

	// Fake is the common part of fake clients. Its zero value records actions and has no reactors. The lock is for the
	// chains and Resources, if they are changed without the methods.
	Fake = testing.Fake

	// FakeClient has the additional methods of fake clients.
	FakeClient = testing.FakeClient

	// ReactionFunc answers an action. If handled is false, the next reactor is called.
	ReactionFunc = testing.ReactionFunc

	// WatchReactionFunc answers a watch. The client gets the events of ret, which is stopped when the client stops the
	// watch.
	WatchReactionFunc = testing.WatchReactionFunc

	// ProxyReactionFunc answers a request to a pod or a service.
	ProxyReactionFunc = testing.ProxyReactionFunc

	// Reactor answers the actions that it handles.
	Reactor = testing.Reactor

	// WatchReactor answers the watches that it handles.
	WatchReactor = testing.WatchReactor

	// ProxyReactor answers the requests to pods or services that it handles.
	ProxyReactor = testing.ProxyReactor

	// SimpleReactor is a ReactionFunc for one verb and one resource, "pods" or "pods/status". "*" means all.
	SimpleReactor = testing.SimpleReactor

	// SimpleWatchReactor is a WatchReactionFunc for one resource. "*" means all.
	SimpleWatchReactor = testing.SimpleWatchReactor

	// SimpleProxyReactor is a ProxyReactionFunc for one resource. "*" means all.
	SimpleProxyReactor = testing.SimpleProxyReactor

	// ObjectTracker gives access to the objects of a fake client without calling its reactors or recording actions.
	ObjectTracker = testing.ObjectTracker
)

// DefaultWatchReactor answers every watch in the same way.
func DefaultWatchReactor(watchInterface watch.Interface, err error) WatchReactionFunc {
	return func(Action) (bool, watch.Interface, error) { return true, watchInterface, err }
}
