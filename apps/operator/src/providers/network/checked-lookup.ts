import { lookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { EndpointPolicy } from '@ordinal/lifecycle';
import { checkAddress } from '@ordinal/lifecycle';

/** Gives all addresses of a name, as `lookup` of `node:dns` does with `all`. */
export type Resolve = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A look-up for sockets: it resolves a name, and refuses it altogether where one of its addresses may not be called. The socket connects to what was
 * checked, so that a name which changes in between leads nowhere else. The refusal is an `ExternalError` with code `EndpointRefused`; sockets emit it as it
 * is. Sockets do not ask about hosts that are addresses already: `checkEndpoint` does these.
 */
export function checkedLookup(policy: EndpointPolicy, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      try {
        for (const { address } of addresses) checkAddress(address, policy);
      } catch (refusal) {
        return callback(refusal as NodeJS.ErrnoException, '', 0); // An ExternalError; who connects passes it on as it is.
      }
      const [first] = addresses;
      if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family ?? 4);
    });
  };
}
