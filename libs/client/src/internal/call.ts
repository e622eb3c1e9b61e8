import type { CallOptions } from '../client.ts';
import type { RequestVerb } from '../metrics.ts';
import type { TransportRequest } from '../transport.ts';

/**
 * When a call may be repeated by the client itself. `read`: whenever it failed for a passing reason. `idempotent`: a write that has the same
 * result however often it arrives. `write`: only when the server has certainly not carried it out. `verdict`: as `write`, but 429 is an
 * answer to the caller (a disruption budget, a webhook's gate), not a sign of load.
 */
export type Repeatable = 'read' | 'idempotent' | 'write' | 'verdict';

/** A request with all that the exchange has to know of it. */
export interface Call {
  readonly verb: RequestVerb;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** The object meant, for messages: `shop/sessions`, or empty. */
  readonly object: string;
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly repeatable: Repeatable;
  /** Whatever the status, the reply is the result, as with a proxied request. */
  readonly anyStatus?: boolean;
  readonly options: CallOptions;
}

/** The call in words, for messages: `update statefulsets/status shop/sessions`. */
export function describeCall(call: Call): string {
  const resource = call.subresource === '' ? call.resource : `${call.resource}/${call.subresource}`;
  return [call.verb, resource === '' ? `${call.method} ${call.path}` : resource, call.object]
    .filter((part) => part !== '')
    .join(' ');
}
