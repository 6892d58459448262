import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The receiver's name leads only to addresses of private networks, or is one. */
export class PrivateAddress extends Error {
  constructor() {
    super('The address is in a private network.');
  }
}

/**
 * Whether an IP address is one of the public internet: none of a registry of special addresses (RFC 6890), such as
 * private networks, loopback, link-local, and those that carry an IPv4 address inside.
 */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/** Throws `PrivateAddress` if the host of a URL is an IP address that is not public. */
export function refusePrivateHost({ hostname }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  const isLocalName = /(^|\.)localhost\.?$/i.test(host);
  if (isLocalName || (isIP(host) !== 0 && !isPublicAddress(host))) throw new PrivateAddress();
}

/**
 * Resolves names for `net.connect`, public addresses only. The address that was checked is the one that is connected
 * to, so a name cannot change in between.
 */
export function publicLookup(resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const open = error ? [] : addresses.filter(({ address }) => isPublicAddress(address));
      if (error !== null) done(error, '', 0);
      else if (open.length === 0) done(new PrivateAddress(), '', 0);
      else if (options.all === true) done(null, open);
      else done(null, open[0]!.address, open[0]!.family);
    });
  };
}
