import type { Client } from '@ordinal/client';
import { secrets } from '@ordinal/client';
import type { ExternalSystem, ExternalView } from '@ordinal/lifecycle';
import type { KindEnvironment, MonitorView } from '@ordinal/reconcilers';
import { readingProbes } from '../checks/reading-probes.ts';
import type { OrdinalResource } from '../kinds.ts';
import { ownSeals } from './believed.ts';
import { databasesOf } from './databases-on-record.ts';
import type { OnRecord } from './on-record.ts';
import { holds, isThere } from './on-record.ts';
import { unknown } from './unknown.ts';

/** Ends a plan: what follows depends on something that a plan does not do. */
type EndPlan = (because: string) => Error;

/** How what a plan rests on is reported to it. */
export interface Planned {
  readonly end: EndPlan;
  /** The plan holds where this is so: it is on record, and is not asked. */
  readonly suppose: (what: string) => void;
}

/** A service outside that shows what is on record, and changes nothing. */
function recorded<Desired, View extends ExternalView>(
  what: string,
  onRecord: () => Promise<OnRecord<View>>,
  { end, suppose }: Planned,
): ExternalSystem<Desired, View> {
  const refused = (verb: string) => () =>
    Promise.reject(end(`the reply of the ${what} to "${verb}", which is not sent here`));
  const shown = async (): Promise<readonly View[]> => {
    const views = await onRecord();
    if (views === undefined) throw end(`what the ${what} shows, which is not asked here`);
    for (const { id } of views) suppose(`the ${what} has ${id} as the status says`);
    if (views.length === 0) suppose(`the ${what} has nothing of this object, as the status says`);
    return views;
  };
  return {
    traits: { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 },
    get: async (id) => (await shown()).find((view) => view.id === id),
    findByOwner: shown,
    findByName: (name) => Promise.reject(end(`what the ${what} has by the name ${name}, which is not asked here`)),
    ...{ create: refused('create'), update: refused('update'), delete: refused('delete') },
  };
}

/** The entry at a monitor, where the set is registered there. One that is being made or removed changes by itself. */
function entriesOf(resource: OrdinalResource, endpoint: string): OnRecord<MonitorView> {
  if (resource.kind !== 'MonitoredStatefulSet') return [];
  const record = resource.status?.registrations?.find((each) => each.endpoint === endpoint);
  if (record === undefined) return [];
  const { id, token, mutedSince } = record;
  const isRegistered = endpoint === resource.spec.monitorEndpoint && holds(resource, 'MonitorRegistered');
  if (id === undefined || !isThere(record) || !isRegistered) return undefined;
  // Whether a monitor mutes is not on record before it has done so.
  return [{ id, owner: resource.metadata.uid, token, state: 'ready', muted: mutedSince !== undefined }];
}

/** The account on record. Before there is one, only the operator knows it: it has the default one, and reads the Secrets that describe others. */
function accountOf(resource: OrdinalResource, { suppose }: Planned): string {
  const recordedAt = resource.kind === 'CloudDatabase' ? resource.status?.external?.account : undefined;
  if (recordedAt === undefined) suppose('the operator has an account at the provider');
  return recordedAt ?? unknown.account;
}

/** What a plan reaches the world with: it reads, and ends where it would have to do something. */
export function readingEnvironment(resource: OrdinalResource, client: Client, planned: Planned): KindEnvironment {
  return {
    probes: readingProbes(client, planned.end),
    seals: ownSeals,
    monitors: { at: (endpoint) => recorded('monitor', () => Promise.resolve(entriesOf(resource, endpoint)), planned) },
    providers: {
      resolve: () => ({
        account: accountOf(resource, planned),
        system: recorded(
          'provider',
          () => databasesOf(resource, ({ namespace, name }) => client(secrets).namespace(namespace).find(name)),
          planned,
        ),
      }),
    },
    newPassword: () => unknown.password,
  };
}
