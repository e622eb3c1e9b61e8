import type { EndpointPolicy } from '@ordinal/lifecycle';
import { checkEndpoint, ExternalError } from '@ordinal/lifecycle';
import type { Monitors, MonitorSystem, MonitorView } from '@ordinal/reconcilers';
import { redacting } from '../redact.ts';
import { withoutTrailingSlashes } from './base-url.ts';
import type { Exchange, OutsideRequest } from './exchange.ts';
import { failureOf, isSuccess } from './failure.ts';
import { Fields } from './fields.ts';
import type { Monitor } from './generated/monitoring.ts';

/** How monitoring services are called. */
export interface HttpMonitorsOptions {
  readonly exchange: Exchange;
  readonly policy: EndpointPolicy;
  /** What the exchange bounds a call to. */
  readonly callTimeoutMs: number;
  /** How long after a registration the service may still deny it, in milliseconds. */
  readonly settleMs: number;
}

/** Monitoring services by examples/cloud-api/monitor-openapi.yaml, over HTTP. */
export function httpMonitors({ exchange, policy, callTimeoutMs, settleMs }: HttpMonitorsOptions): Monitors {
  return {
    at(endpoint, token) {
      const url = checkEndpoint(endpoint, policy);
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return redacting(
        monitorAt(url, { headers, callTimeoutMs, settleMs }, exchange),
        token === undefined ? [] : [token],
      );
    },
  };
}

function monitorAt(
  base: URL,
  {
    headers,
    callTimeoutMs,
    settleMs,
  }: Omit<HttpMonitorsOptions, 'exchange' | 'policy'> & { readonly headers: Readonly<Record<string, string>> },
  exchange: Exchange,
): MonitorSystem {
  const prefix = `${base.origin}${withoutTrailingSlashes(base.pathname)}/`;
  const ask = (
    method: OutsideRequest['method'],
    path: string,
    { signal, ...rest }: Omit<OutsideRequest, 'method' | 'url'> & { readonly signal: AbortSignal },
  ) =>
    exchange({ method, url: new URL(`${prefix}${path}`), ...rest, headers: { ...headers, ...rest.headers } }, signal);
  return {
    traits: { repeatedCreate: 'returnsFirst', settleMs, callTimeoutMs },
    async get(id, signal) {
      const reply = await ask('GET', encodeURIComponent(id), { signal });
      if (reply.status === 404) return undefined;
      if (!isSuccess(reply)) throw failureOf(reply, `reading registration ${id}`);
      return viewOf(new Fields(reply.body, `registration ${id}`));
    },
    async findByOwner(owner, signal) {
      const reply = await ask('GET', `?${new URLSearchParams({ owner }).toString()}`, { signal });
      if (reply.status === 404)
        throw new ExternalError('Unsupported', `${prefix} offers no look-up by owner`, { applied: 'no' });
      if (!isSuccess(reply)) throw failureOf(reply, 'looking registrations up');
      const views = new Fields<{ readonly monitors: readonly Monitor[] }>(reply.body, 'the list of registrations')
        .list('monitors')
        .map(viewOf);
      return views.filter((view) => view.owner === owner);
    },
    async create({ token, owner, desired: { serviceName, namespace } }, signal) {
      const body: Omit<Monitor, 'monitorID'> = { serviceName, namespace, owner };
      const reply = await ask('POST', '', { signal, body, headers: { 'idempotency-key': token } });
      if (!isSuccess(reply)) throw failureOf(reply, 'registering');
      const view = viewOf(new Fields(reply.body, 'the registration'));
      return { ...view, owner: view.owner ?? owner };
    },
    async update(id, { muted }, signal) {
      if (muted === undefined) return;
      const reply = await ask('PATCH', encodeURIComponent(id), { signal, body: { muted } });
      if (!isSuccess(reply)) throw failureOf(reply, `muting registration ${id}`);
    },
    async delete({ id }, signal) {
      const reply = await ask('DELETE', encodeURIComponent(id), { signal });
      if (!isSuccess(reply) && reply.status !== 404) throw failureOf(reply, `removing registration ${id}`);
    },
  };
}

function viewOf(fields: Fields<Monitor>): MonitorView {
  return {
    id: fields.text('monitorID'),
    owner: fields.optionalText('owner'),
    token: fields.optionalText('idempotencyKey'),
    state: 'ready',
    muted: fields.optionalBoolean('muted'),
  };
}
