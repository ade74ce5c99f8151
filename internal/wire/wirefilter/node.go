package wirefilter

// deed is what is done with a field.
type deed uint8

const (
	omit  deed = iota // it goes, with all that is in it
	whole             // it stays, with all that is in it
	enter             // its inside is filtered
)

// step is what is done with a field, and the node for its inside if the deed is enter.
type step struct {
	do   deed
	into *node
}

// node says what is done with the inside of an object: in JSON by names, on the wire by numbers, in Go by indexes. A list is
// passed through: the node of a list is that of its elements.
type node struct {
	// names are the members that are named, and rest is what is done with others. For a map they are its keys. A struct that is
	// inline in JSON has only numbers and fields: its names are in the node around it.
	names map[string]step
	rest  step
	// few are the names again: looking at a handful one after the other is quicker than a map.
	few []named

	// numbers are the fields of a message by their numbers. Number 0, which no field has, stands for all that are not there.
	numbers []wireField
	// fields are those of the struct, in their order.
	fields []step
	inline bool
}

type named struct {
	name string
	step
}

// wireField is a field of a message.
type wireField struct {
	step
	// types has bit t for each wire type t that the field may have. It is 0 for a number that is not known.
	types uint8
	// entries says that the field is a map, so that each of its values is an entry with a key and a value.
	entries bool
}

const fewNames = 8

// finish makes the node ready for use.
func (n *node) finish() {
	if len(n.names) > fewNames {
		return
	}
	n.few = make([]named, 0, len(n.names))
	for name, s := range n.names {
		n.few = append(n.few, named{name, s})
	}
}

// member is what is done with a member of an object.
func (n *node) member(name []byte) step {
	if n.few == nil {
		if s, ok := n.names[string(name)]; ok {
			return s
		}
		return n.rest
	}
	for i := range n.few {
		if n.few[i].name == string(name) {
			return n.few[i].step
		}
	}
	return n.rest
}
