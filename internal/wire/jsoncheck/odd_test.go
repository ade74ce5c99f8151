package jsoncheck

import (
	"encoding/json"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// odd has fields of all kinds that there are.
type odd struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	*pointed          `json:"-"`
	Pointed
	hidden
	Bare
	Tagged

	Text   string    `json:"text"`
	UID    types.UID `json:"uid"`
	TextP  *string   `json:"textP"`
	TextPP **string  `json:"textPP"`
	Yes    bool      `json:"yes"`
	YesP   *bool     `json:"yesP"`

	I    int           `json:"i"`
	I8   int8          `json:"i8"`
	I16  int16         `json:"i16"`
	I32  int32         `json:"i32"`
	I64  *int64        `json:"i64"`
	U    uint          `json:"u"`
	U8   uint8         `json:"u8"`
	U16  uint16        `json:"u16"`
	U32  uint32        `json:"u32"`
	U64  *uint64       `json:"u64"`
	F32  float32       `json:"f32"`
	F64  float64       `json:"f64"`
	Wait time.Duration `json:"wait"` // a number, as it is no metav1.Duration

	Bytes  []byte             `json:"bytes"`
	Texts  []string           `json:"texts"`
	Parts  []part             `json:"parts"`
	PartsP []*part            `json:"partsP"`
	Deep   [][]int32          `json:"deep"`
	Map    map[string]string  `json:"map"`
	Counts map[types.UID]int8 `json:"counts"`
	Named  map[string]*part   `json:"named"`
	Blobs  map[string][]byte  `json:"blobs"`
	ByInt  map[int8]string    `json:"byInt"`
	ByText map[shouted]bool   `json:"byText"`
	ByBool map[bool]string    `json:"byBool"`
	Fixed  [2]int8            `json:"fixed"`

	Any   any                  `json:"any"`
	Anys  []any                `json:"anys"`
	Tree  map[string]any       `json:"tree"`
	Iface json.Marshaler       `json:"iface"`
	Chan  chan int             `json:"chan"`
	Raw   runtime.RawExtension `json:"raw"`
	RawM  json.RawMessage      `json:"rawM"`
	V1    *metav1.FieldsV1     `json:"v1"`
	Num   json.Number          `json:"num"`

	Time      metav1.Time                  `json:"time"`
	TimeP     *metav1.Time                 `json:"timeP"`
	Micro     metav1.MicroTime             `json:"micro"`
	StdTime   time.Time                    `json:"stdTime"`
	Duration  metav1.Duration              `json:"duration"`
	DurationP *metav1.Duration             `json:"durationP"`
	Quantity  resource.Quantity            `json:"quantity"`
	Port      intstr.IntOrString           `json:"port"`
	Limits    map[string]resource.Quantity `json:"limits"`

	Once     once            `json:"once"`
	OnceP    *once           `json:"onceP"`
	Onces    map[string]once `json:"onces"`
	OncePart struct {
		List []once `json:"list"`
	} `json:"oncePart"`
	Shout   shouted          `json:"shout"`
	ShoutP  *shouted         `json:"shoutP"`
	Nasty   nasty            `json:"nasty"`
	Quoted  quoted           `json:"quoted"`
	NoName  struct{ once }   `json:"noName"`
	NoNameP *struct{ Once2 } `json:"noNameP"`
	Loop    *loop            `json:"loop"`

	Untagged int8
	//lint:ignore SA5008 to the decoder this is a field with the name -
	Dashed  int8 `json:"-,"`
	Left    int8 `json:"-"`
	inner   part
	private int8
}

var _ = odd{inner: part{}, private: 1} // they are there to be passed over

type (
	// part contains itself.
	part struct {
		Name  string `json:"name"`
		Count int8   `json:"count"`
		Parts []part `json:"parts"`
	}
	// Pointed and hidden are embedded. Of their fields, some are hidden by those of odd.
	Pointed struct {
		Text int8 `json:"text"`
		Here int8 `json:"here"`
	}
	hidden struct {
		There int8 `json:"there"`
	}
	pointed struct {
		Text int8 `json:"text"`
	}
	// Bare and Tagged both have a field Same, of which that with a tag is seen.
	Bare   struct{ Same string }
	Tagged struct {
		Other int8 `json:"Same"`
	}
	// once can be read once. nasty reads nothing, and also no null.
	once  struct{ read bool }
	nasty struct{}
	// shouted is in capital letters.
	shouted string
	// quoted has a number in a string.
	quoted struct {
		N int8 `json:"n,string"`
	}
	// Once2 is once by another name.
	Once2 struct{ once2 }
	once2 struct{}
	loop  *loop
)

func (o *once) UnmarshalJSON(data []byte) error {
	if o.read || string(data) == `"bad"` {
		return errors.New("once is enough")
	}
	o.read = true
	return nil
}

func (*once2) UnmarshalJSON(data []byte) error {
	if string(data) != "2" {
		return errors.New("not 2")
	}
	return nil
}

func (*nasty) UnmarshalJSON([]byte) error { return errors.New("no") }

func (s *shouted) UnmarshalText(text []byte) error {
	for _, c := range text {
		if 'a' <= c && c <= 'z' {
			return errors.New("too low")
		}
	}
	*s = shouted(text)
	return nil
}
