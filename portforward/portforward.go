package portforward

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"

	//lint:ignore SA1019 these types are in signatures of client-go
	apistream "k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/streaming/pkg/httpstream"

	"vedette.dev/internal/streamconn"
)

// PortForwardProtocolV1Name is the protocol for which a dialer is asked.
const PortForwardProtocolV1Name = "portforward.k8s.io"

// ErrLostConnectionToPod is what ForwardPorts returns, with the reason, if the connection ended before it was stopped.
var ErrLostConnectionToPod = errors.New("lost connection to pod")

// PortForwarder forwards ports of this machine to ports of a pod.
type PortForwarder struct {
	// Ready is closed when all listeners listen. It may be nil.
	Ready chan struct{}

	ctx       context.Context // of the whole forwarder, because constructors get it
	dialer    apistream.Dialer
	addresses []address

	printing    sync.Mutex
	out, errOut io.Writer // either may be nil

	mu        sync.Mutex
	begun     bool
	ports     []ForwardedPort
	listeners []net.Listener
}

// New returns a PortForwarder that listens on localhost. It ends when stopChan is closed. readyChan is closed when it listens.
func New(dialer apistream.Dialer, ports []string, stopChan <-chan struct{}, readyChan chan struct{}, out, errOut io.Writer) (*PortForwarder, error) {
	return NewOnAddresses(dialer, []string{"localhost"}, ports, stopChan, readyChan, out, errOut)
}

// NewForStreaming is New for callers that use the types of k8s.io/streaming.
func NewForStreaming(dialer httpstream.Dialer, ports []string, stopChan <-chan struct{}, readyChan chan struct{}, out, errOut io.Writer) (*PortForwarder, error) {
	return NewOnAddressesForStreaming(dialer, []string{"localhost"}, ports, stopChan, readyChan, out, errOut)
}

// NewOnAddresses returns a PortForwarder that listens on addresses, which are IP addresses or "localhost". A port is "5000",
// "8888:5000" with another local port, or ":5000" with a local port that is free. out gets a line for each listener and connection,
// errOut the errors; either may be nil.
func NewOnAddresses(dialer apistream.Dialer, addresses []string, ports []string, stopChan <-chan struct{}, readyChan chan struct{}, out, errOut io.Writer) (*PortForwarder, error) {
	return NewOnAddressesWithContext(wait.ContextForChannel(stopChan), dialer, addresses, ports, readyChan, out, errOut)
}

// NewOnAddressesForStreaming is NewOnAddresses for callers that use the types of k8s.io/streaming.
func NewOnAddressesForStreaming(dialer httpstream.Dialer, addresses []string, ports []string, stopChan <-chan struct{}, readyChan chan struct{}, out, errOut io.Writer) (*PortForwarder, error) {
	return NewOnAddressesForStreamingWithContext(wait.ContextForChannel(stopChan), dialer, addresses, ports, readyChan, out, errOut)
}

// NewOnAddressesForStreamingWithContext is NewOnAddressesWithContext for callers that use the types of k8s.io/streaming.
func NewOnAddressesForStreamingWithContext(ctx context.Context, dialer httpstream.Dialer, addresses []string, ports []string, readyChan chan struct{}, out, errOut io.Writer) (*PortForwarder, error) {
	if dialer == nil {
		return nil, errNoDialer
	}
	return NewOnAddressesWithContext(ctx, apiDialer{dialer}, addresses, ports, readyChan, out, errOut)
}

var errNoDialer = errors.New("portforward: a PortForwarder needs a dialer")

// NewOnAddressesWithContext is NewOnAddresses with a context in place of the channel.
func NewOnAddressesWithContext(ctx context.Context, dialer apistream.Dialer, addresses []string, ports []string, readyChan chan struct{}, out, errOut io.Writer) (*PortForwarder, error) {
	if dialer == nil {
		return nil, errNoDialer
	}
	parsedAddresses, err := parseAddresses(addresses)
	if err != nil {
		return nil, err
	}
	parsedPorts, err := parsePorts(ports)
	if err != nil {
		return nil, err
	}
	return &PortForwarder{
		Ready: readyChan, ctx: ctx, dialer: dialer, addresses: parsedAddresses, ports: parsedPorts, out: out, errOut: errOut,
	}, nil
}

// ForwardPorts connects, listens, and forwards until it is stopped, or the connection is lost. It may be called once.
func (pf *PortForwarder) ForwardPorts() error {
	pf.mu.Lock()
	begun := pf.begun
	pf.begun = true
	pf.mu.Unlock()
	if begun {
		return errors.New("portforward: ForwardPorts was called before; make another PortForwarder")
	}
	conn, protocol, err := dial(pf.ctx, pf.dialer, PortForwardProtocolV1Name)
	switch {
	case err != nil && pf.ctx.Err() != nil:
		return nil // stopped
	case err != nil:
		return fmt.Errorf("error upgrading connection: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if protocol != PortForwardProtocolV1Name {
		return fmt.Errorf("unable to negotiate protocol: client supports %q, server returned %q", PortForwardProtocolV1Name, protocol)
	}
	listeners, err := pf.listen()
	defer pf.Close()
	if err != nil {
		return err
	}

	f := &forwarding{pf: pf, conn: conn, quit: make(chan struct{})}
	var accepting sync.WaitGroup
	for _, l := range listeners {
		accepting.Go(func() { f.accept(l) })
	}
	if pf.Ready != nil {
		close(pf.Ready)
	}
	stopped := false
	select {
	case <-pf.ctx.Done():
		stopped = true
	case <-conn.CloseChan():
	}
	lost := streamconn.Err(conn)
	close(f.quit)
	pf.Close()
	_ = conn.Close()
	accepting.Wait()
	f.clients.Wait()
	if stopped {
		return nil
	}
	return f.reason(lost)
}

// Close closes the listeners. Connections that were accepted go on.
func (pf *PortForwarder) Close() {
	pf.mu.Lock()
	defer pf.mu.Unlock()
	for _, l := range pf.listeners {
		_ = l.Close()
	}
	pf.listeners = nil
}

// GetPorts returns the ports, with the local ones that were chosen. It is an error before Ready is closed.
func (pf *PortForwarder) GetPorts() ([]ForwardedPort, error) {
	if pf.Ready == nil {
		return nil, errors.New("no Ready channel provided")
	}
	select {
	case <-pf.Ready:
	default:
		return nil, errors.New("listeners not ready")
	}
	pf.mu.Lock()
	defer pf.mu.Unlock()
	return slices.Clone(pf.ports), nil
}

// listener is a listener and the port that it is for.
type listener struct {
	net.Listener
	port ForwardedPort
}

// listen listens for all ports. One that succeeds is enough.
func (pf *PortForwarder) listen() ([]listener, error) {
	pf.mu.Lock()
	defer pf.mu.Unlock()
	var all []listener
	var errs []error
	for i := range pf.ports {
		port := &pf.ports[i]
		opened, err := pf.listenOn(port)
		if err != nil {
			pf.print(pf.errOut, "Unable to listen on port %d: %v\n", port.Local, err)
			errs = append(errs, err)
			continue
		}
		for _, l := range opened {
			all = append(all, listener{l, *port})
			pf.listeners = append(pf.listeners, l)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("unable to listen on any of the requested ports: %v: %w", pf.ports, errors.Join(errs...))
	}
	return all, nil
}

// listenOn listens for a port on all addresses. Of the two of localhost, one is enough.
func (pf *PortForwarder) listenOn(port *ForwardedPort) ([]net.Listener, error) {
	var opened []net.Listener
	var errs []error
	failed, local := false, 0
	for _, a := range pf.addresses {
		l, err := pf.listenOnAddress(a, port)
		switch {
		case err != nil:
			errs = append(errs, err)
			failed = failed || !a.localhost
			continue
		case a.localhost:
			local++
		}
		opened = append(opened, l)
	}
	wantLocal := slices.ContainsFunc(pf.addresses, func(a address) bool { return a.localhost })
	if failed || wantLocal && local == 0 {
		for _, l := range opened {
			_ = l.Close()
		}
		return nil, errors.Join(errs...)
	}
	return opened, nil
}

func (pf *PortForwarder) listenOnAddress(a address, port *ForwardedPort) (net.Listener, error) {
	l, err := net.Listen(a.network, net.JoinHostPort(a.ip, strconv.Itoa(int(port.Local))))
	if err != nil {
		return nil, fmt.Errorf("unable to create listener: %w", err)
	}
	chosen, err := portOf(l)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	port.Local = chosen
	pf.print(pf.out, "Forwarding from %s -> %d\n", l.Addr(), port.Remote)
	return l, nil
}

// print writes a line to w, if it is not nil.
func (pf *PortForwarder) print(w io.Writer, format string, args ...any) {
	if w == nil {
		return
	}
	pf.printing.Lock()
	defer pf.printing.Unlock()
	_, _ = fmt.Fprintf(w, format, args...)
}
