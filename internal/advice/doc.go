// Package advice says which storage fits the objects of an informer, and why, from what the informer knows of itself.
//
// # Types
//
//	Kind    what is known of one informer        From a cache.State
//	Advice  which storage fits, and what it saves Of a Kind
//
// Of is a pure function: the live page and 'vedette advise' call it with the same facts. Sizes of what is not packed, and costs of what is
// not decoded, are estimates from measured figures, which stand with the constants.
package advice
