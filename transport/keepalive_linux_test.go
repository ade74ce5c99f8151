package transport

import (
	"net"
	"syscall"
	"testing"
)

// HTTP/1.1 has no pings, so the kernel must look after its connections.
func TestConnectionsAreProbedByTheKernel(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	conn, err := (&source{}).dialer()(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	option := func(level, name int) (value int) {
		if e := raw.Control(func(fd uintptr) { value, err = syscall.GetsockoptInt(int(fd), level, name) }); e != nil || err != nil {
			t.Fatal(e, err)
		}
		return value
	}
	if option(syscall.SOL_SOCKET, syscall.SO_KEEPALIVE) == 0 {
		t.Error("keep-alive is off")
	}
	idle, interval, count := option(syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE), option(syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL), option(syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT)
	if dead := idle + interval*count; dead > 45 {
		t.Errorf("a dead connection is noticed after %d + %d × %d = %d seconds", idle, interval, count, dead)
	}
}
