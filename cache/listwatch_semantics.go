package cache

// watchListRefuser is a client or a ListerWatcher that may not know how to begin a watch with all objects.
type watchListRefuser interface {
	// IsWatchListSemanticsUnSupported is spelled as it is for the sake of those who have it.
	IsWatchListSemanticsUnSupported() bool
}

func refusesWatchList(client any) bool {
	refuser, ok := client.(watchListRefuser)
	return ok && refuser.IsWatchListSemanticsUnSupported()
}

// ToListWatcherWithWatchListSemantics returns a ListerWatcher that says of itself what the client says: whether a watch
// can begin with all objects, in the place of a list. Fake clients cannot do it.
func ToListWatcherWithWatchListSemantics(lw *ListWatch, client any) ListerWatcher {
	return &listWatchWithSemantics{lw, refusesWatchList(client)}
}

type listWatchWithSemantics struct {
	*ListWatch
	refuses bool
}

var (
	_ watchListRefuser         = (*listWatchWithSemantics)(nil)
	_ ListerWatcherWithContext = (*listWatchWithSemantics)(nil)
)

func (lw *listWatchWithSemantics) IsWatchListSemanticsUnSupported() bool { return lw.refuses }
