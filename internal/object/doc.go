// Package object is what identifies an object and a state of it, whatever form the object has in memory.
//
// # Types
//
//	Revision   UID and resourceVersion: which state of which object   Of
//	AtRest     an object that is kept as bytes                        implemented by package codec
//	Use        what an object at rest is decoded for, as it is counted
//	Tombstone  the deletion of an object whose last state is not known
//
// The functions [Meta], [Of], [Version] and Key take an object in any form: decoded, at rest, or a [Tombstone]. So no other package has to know
// how an object is kept.
//
// # Invariants
//
//   - A key is namespace/name, or the name alone where there is no namespace. Name undoes Key.
//   - [Revision.Same] and [Revision.Other] are certain: both report false if a UID or a version that matters is missing.
//   - Compare orders versions that are decimal numbers. Of others it only knows that equal ones are equal.
//   - The revision of an object at rest is that of its bytes. Reading it decodes nothing.
//
// Nothing here waits or locks, except that the methods of an [AtRest] that decode may wait for others that do.
package object
