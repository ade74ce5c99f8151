package cache

import "fmt"

// TransactionType says what a Transaction does.
type TransactionType string

const (
	TransactionTypeAdd    TransactionType = "Add"
	TransactionTypeUpdate TransactionType = "Update"
	TransactionTypeDelete TransactionType = "Delete"
)

// Transaction is one write of several that are done in one step.
type Transaction struct {
	Object interface{}
	Type   TransactionType
}

// ThreadSafeStoreTransaction is a Transaction with the key it is about.
type ThreadSafeStoreTransaction struct {
	Transaction
	Key string
}

// TransactionStore is a Store that can do several writes in one step. Those that NewStore and NewIndexer return can.
type TransactionStore interface {
	// Transaction does all writes in the given order, and readers see none of them or all. A write whose object has no key
	// is left out and reported.
	Transaction(txns ...Transaction) *TransactionError
}

// ThreadSafeStoreWithTransaction is a ThreadSafeStore that can do several writes in one step. Those that
// NewThreadSafeStore returns can.
type ThreadSafeStoreWithTransaction interface {
	ThreadSafeStore
	Transaction(fns ...ThreadSafeStoreTransaction)
}

// TransactionError says which writes of a Transaction were done, by their place in the argument list, and what went
// wrong. An object that was stored but could not be filed in an index counts as done.
type TransactionError struct {
	SuccessfulIndices []int
	TotalTransactions int
	Errors            []error
}

func (t *TransactionError) Error() string {
	return fmt.Sprintf("failed to execute (%d/%d) transactions failed due to: %v",
		t.TotalTransactions-len(t.SuccessfulIndices), t.TotalTransactions, t.Errors)
}

// Unwrap returns Errors.
func (t *TransactionError) Unwrap() []error { return t.Errors }
