// Package tracker keeps the objects of fake clients in an API server of this process: see testing.ObjectTracker, which
// [Tracker] implements.
package tracker
