package portforward

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	netutils "k8s.io/utils/net"
)

// ForwardedPort is a port of this machine and the port of the pod that it is forwarded to.
type ForwardedPort struct {
	Local  uint16
	Remote uint16
}

// parsePorts parses "5000", "8888:5000", "0:5000" and ":5000". Without a local port, or with 0, one is chosen when it is listened on.
func parsePorts(specs []string) ([]ForwardedPort, error) {
	if len(specs) == 0 {
		return nil, errors.New("you must specify at least 1 port")
	}
	var ports []ForwardedPort
	for _, spec := range specs {
		local, remote, two := strings.Cut(spec, ":")
		switch {
		case !two:
			remote = local
		case local == "":
			local = "0"
		}
		if strings.Contains(remote, ":") {
			return nil, fmt.Errorf("invalid port format %q", spec)
		}
		l, err := strconv.ParseUint(local, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("error parsing local port %q: %w", local, err)
		}
		r, err := strconv.ParseUint(remote, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("error parsing remote port %q: %w", remote, err)
		}
		if r == 0 {
			return nil, errors.New("remote port must be > 0")
		}
		ports = append(ports, ForwardedPort{Local: uint16(l), Remote: uint16(r)})
	}
	return ports, nil
}

// address is an IP address to listen on.
type address struct {
	ip      string
	network string // tcp4 or tcp6
	// localhost says that it is one of the two addresses of "localhost", of which one is enough.
	localhost bool
}

// parseAddresses returns the addresses in the order of their text, without duplicates.
func parseAddresses(texts []string) ([]address, error) {
	if len(texts) == 0 {
		return nil, errors.New("you must specify at least 1 address")
	}
	found := map[string]address{}
	for _, text := range texts {
		if text == "localhost" {
			for ip, network := range map[string]string{"127.0.0.1": "tcp4", "::1": "tcp6"} {
				if _, ok := found[ip]; !ok {
					found[ip] = address{ip: ip, network: network, localhost: true}
				}
			}
			continue
		}
		ip := netutils.ParseIPSloppy(text)
		switch {
		case ip == nil:
			return nil, fmt.Errorf("%q is not a valid IP", text)
		case ip.To4() != nil:
			found[text] = address{ip: ip.String(), network: "tcp4"}
		default:
			found[text] = address{ip: ip.String(), network: "tcp6"}
		}
	}
	var addresses []address
	for _, a := range found {
		addresses = append(addresses, a)
	}
	slices.SortFunc(addresses, func(a, b address) int { return strings.Compare(a.ip, b.ip) })
	return addresses, nil
}

// portOf returns the port of a listener.
func portOf(l net.Listener) (uint16, error) {
	addr, err := netip.ParseAddrPort(l.Addr().String())
	return addr.Port(), err
}
