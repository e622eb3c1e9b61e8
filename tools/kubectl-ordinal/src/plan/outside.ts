import type { Client } from '@ordinal/client';
import { isApiError } from '@ordinal/client';
import type { ExternalSystem, ExternalView, Probes } from '@ordinal/lifecycle';
import type { DatabaseView, KindEnvironment, MonitorView } from '@ordinal/reconcilers';
import type { OrdinalResource } from '../kinds.ts';
import { ownSeals } from './believed.ts';

/** Ends a plan: what follows depends on something that a plan does not do. */
export type EndPlan = (because: string) => Error;

/** Members are asked by GET alone, through the API server. Commands, and requests that change something, end the plan. */
function readingProbes(client: Client, end: EndPlan): Probes {
  return {
    http: async ({ namespace, name }, { path, port, scheme, method }, options) => {
      if (method !== 'GET') throw end(`the answer of ${name} to ${method} ${path}, which is not sent here`);
      const protocol = scheme === 'HTTPS' ? 'https' : 'http';
      try {
        return await client.pods.proxy(
          { kind: 'pods', namespace, name, port, path, method, scheme: protocol },
          options,
        );
      } catch (error) {
        if (isApiError(error, 'Forbidden'))
          throw end(`the answer of ${name} to GET ${path}: you may not get pods/proxy`);
        throw error;
      }
    },
    exec: ({ name }, { command }) =>
      Promise.reject(end(`what "${command.join(' ')}" says in ${name}, which is not run here`)),
  };
}

/** A service outside that shows what the status has on record, and changes nothing. */
function recorded<Desired, View extends ExternalView>(
  what: string,
  views: readonly View[],
  end: EndPlan,
): ExternalSystem<Desired, View> {
  const refused = (verb: string) => () =>
    Promise.reject(end(`the reply of the ${what} to "${verb}", which is not sent here`));
  return {
    traits: { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 },
    get: (id) => Promise.resolve(views.find((view) => view.id === id)),
    findByOwner: () => Promise.resolve(views),
    ...{ create: refused('create'), update: refused('update'), delete: refused('delete') },
  };
}

function entriesOf(resource: OrdinalResource, endpoint: string): readonly MonitorView[] {
  if (resource.kind !== 'MonitoredStatefulSet') return [];
  const { registrations = [] } = resource.status ?? {};
  return registrations.flatMap(({ endpoint: at, id, token }) =>
    at === endpoint && id !== undefined ? [{ id, owner: resource.metadata.uid, token, state: 'ready' as const }] : [],
  );
}

function databasesOf(resource: OrdinalResource): readonly DatabaseView[] {
  if (resource.kind !== 'CloudDatabase') return [];
  const { external, instanceId, size, endpoint = '' } = resource.status ?? {};
  if (instanceId === undefined || external === undefined) return [];
  const [, host, port] = /^(.*):(\d+)$/.exec(endpoint) ?? [];
  const address = host === undefined ? {} : { host, port: Number(port) };
  return [{ id: instanceId, owner: resource.metadata.uid, token: external.token, state: 'ready', size, ...address }];
}

/** What a plan reaches the world with: it reads, and ends where it would have to do something. */
export function readingEnvironment(resource: OrdinalResource, client: Client, end: EndPlan): KindEnvironment {
  const account = resource.kind === 'CloudDatabase' ? (resource.status?.external?.account ?? 'the provider') : '';
  return {
    probes: readingProbes(client, end),
    seals: ownSeals,
    monitors: { at: (endpoint) => recorded('monitor', entriesOf(resource, endpoint), end) },
    providers: { resolve: () => ({ account, system: recorded('provider', databasesOf(resource), end) }) },
    newPassword: () => '(a new password)',
  };
}
