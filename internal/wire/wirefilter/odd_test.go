package wirefilter

import "strings"

// Messages that decoders accept although no encoder writes them, and some that they do not accept. They are read as pods and as
// config maps.
var oddMessages = [][]byte{
	nil,
	{0x0a, 0x00}, // empty metadata
	{0x0a, 0x03, 0x0a, 0x01, 'a', 0x0a, 0x03, 0x12, 0x01, 'b'},                             // metadata in two pieces
	{0x0a, 0x06, 0x0a, 0x01, 'a', 0x0a, 0x01, 'b'},                                         // a name twice
	{0x8a, 0x00, 0x03, 0x0a, 0x01, 'a'},                                                    // a tag with a byte too many
	{0x0a, 0x83, 0x80, 0x00, 0x0a, 0x01, 'a'},                                              // a length with two
	{0x0a, 0x84, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 0x0a, 0x81, 0, 'a'}, // and with bits that are lost
	{0x8a, 0x80, 0x80, 0x80, 0x80, 0x01, 0x03, 0x0a, 0x01, 'a'},                            // a number that is 1 in 32 bits
	{0xfb, 0x07, 0x08, 0x01, 0x13, 0x14, 0xfc, 0x07},                                       // a group in field 127, with one in it
	{0xfb, 0x07, 0x08, 0x01},                                                               // that does not end
	{0xfc, 0x07},                                                                           // that does not begin
	{0xf9, 0x07, 1, 2, 3, 4, 5, 6, 7, 8, 0xfd, 0x07, 1, 2, 3, 4, 0xf8, 0x07, 0x80, 0x01},   // unknown numbers
	{0x0a, 0x05, 0x5a, 0x03, 0x0a, 0x01, 'a'},                                              // a label without a value
	{0x0a, 0x05, 0x5a, 0x03, 0x12, 0x01, 'v'},                                              // without a key
	{0x0a, 0x02, 0x5a, 0x00},                                                               // with neither
	{0x0a, 0x08, 0x5a, 0x06, 0x0a, 0x01, 'a', 0x0a, 0x01, 'b'},                             // with two keys
	{0x0a, 0x08, 0x5a, 0x06, 0x08, 0x01, 'a', 0x15, 0x01, 'b'},                             // with wire types that no decoder looks at
	{0x0a, 0x0a, 0x5a, 0x03, 0x0a, 0x02, 'a', 0x22, 0x03, 0x0a, 0x01, 'a'},                 // that ends before its key
	{0x0a, 0x07, 0x5a, 0x05, 0x00, 0x00, 0x0a, 0x01, 'a'},                                  // with a field 0, which is skipped
	{0x12, 0x05, 0x12, 0x03, 0x0a, 0x01, 'a', 0x12, 0x05, 0x12, 0x03, 0x0a, 0x01, 'b'},     // containers in pieces
	{0x12, 0x02, 0x12, 0x00},                                                               // a container that is empty
	{0x02, 0x00},                                                                           // field 0
	{0x08, 0x01},                                                                           // a number where metadata should be
	{0x0a, 0x7f},                                                                           // cut short
	{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},                     // longer than anything
	{0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00},               // a length of eleven bytes
	{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00},               // a tag of as many
	{0x0f, 0x00}, // a wire type that there is not
	[]byte(strings.Repeat("\xfb\x07", 1000) + strings.Repeat("\xfc\x07", 1000)),          // groups in groups
	{0x12, 0x0b, 0x38, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},       // a number with bits that are lost
	{0x12, 0x0c, 0x38, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, // and of eleven bytes
}

// Texts of which decoders accept some.
var oddTexts = []string{
	``, ` `, `null`, ` null `, `{}`, ` { } `, `[]`, `5`, `"a"`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a":1}x`, `{}{}`,
	`{"metadata":null,"spec":null,"status":null}`,
	`{"metadata":{"name":"a","labels":{"a":"1"}},"metadata":{"namespace":"b","labels":{"b":"2"}}}`,
	`{"metadata":{"name":"a","name":"b","name":null}}`,
	`{"\u006detadata":{"n\u0061me":"a","labels":{"\u0061":"1","b\\":"2"}}}`,
	`{"Metadata":{"name":"a"},"metadata":{"Name":"b"}}`,
	"{\n\t\"kind\" : \"Pod\" ,\r\n \"spec\" : { \"nodeName\" : \"n\" , \"containers\" : [ { \"image\" : \"i\" , \"name\" : \"c\" } , { } ] } }\n",
	`{"spec":{"containers":[{"name":"a","image":"b"},{"image":"c"}],"containers":[{"name":"d"}]}}`,
	`{"spec":{"containers":[null,{"image":null},{}]}}`,
	`{"spec":{"containers":null},"spec":{"containers":[]}}`,
	`{"spec":{"securityContext":{"runAsUser":5},"securityContext":null}}`,
	`{"spec":{"securityContext":{"runAsUser":5},"securityContext":{"runAsGroup":6}}}`,
	`{"spec":5}`, `{"spec":[]}`, `{"spec":{"containers":{}}}`, `{"spec":{"containers":[5]}}`, `{"spec":{"containers":[[[{}]]]}}`,
	`{"metadata":{"labels":[]}}`, `{"metadata":{"labels":{"a":5}}}`, `{"metadata":{"labels":{"a":null}}}`,
	`{"unknown":{"a":[1,2,{"b":"]}\""}]},"spec":{"nodeName":"n","unknown":1.5e300}}`,
	`{"spec":{"nodeName":"\ud800"},"metadata":{"labels":{"\ud800":"x"}}}`, "{\"spec\":{\"nodeName\":\"\xff\"},\"metadata\":{\"labels\":{\"\xff\":\"x\"}}}",
	`{"spec" "a"}`, `{"spec":tru}`, `{"spec":{]}`, `{"spec":{"containers":[{},]}}`, `{"spec":{"containers":[{}}}`, `{"a":"b`, `{"a\`, `{"a":"\`,
	`{"spec":{"containers":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`,
}
