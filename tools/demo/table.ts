import { cloudDatabases, clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import { pods } from '@ordinal/client';
import { isMember, shown } from './pods.ts';
import { names, roleLabel } from './samples.ts';
import { oneLine } from './screen.ts';
import type { Watcher } from './watcher.ts';

/** A row of the table: a resource, its members, what is done with it, and what it waits for. */
interface Row {
  readonly kind: string;
  readonly name: string;
  readonly members?: string;
  readonly leader?: string;
  readonly step: string;
  readonly waitsFor?: string | undefined;
}

/** The head of the table. */
export const head = lineOf({ kind: 'KIND', name: 'NAME', members: 'MEMBERS', leader: 'LEADER', step: 'STEP' });

/** The table of how things are: a line for each resource, and one below it where it waits. Empty while there are no resources. */
export function tableOf(watcher: Watcher): readonly string[] {
  const rows = [...cacheRow(watcher), ...storeRow(watcher), ...monitoredRow(watcher), ...databaseRow(watcher)];
  return rows.length === 0 ? [''] : ['', head, ...rows.flatMap(linesOf)];
}

function linesOf(row: Row): readonly string[] {
  const { waitsFor = '' } = row;
  return [lineOf(row), ...(waitsFor === '' ? [] : [`    waits for ${oneLine(waitsFor)}`])];
}

function lineOf({ kind, name, members = '', leader = '', step }: Row): string {
  return `  ${kind.padEnd(20)}  ${name.padEnd(10)}  ${members.padEnd(20)}  ${leader.padEnd(10)}  ${step}`.trimEnd();
}

function cacheRow(watcher: Watcher): readonly Row[] {
  const cache = watcher.find(clusteredCaches, names.cache);
  if (cache === undefined) return [];
  const { upgrade } = cache.status ?? {};
  const step = upgrade ? `${upgrade.step} ${upgrade.pod ?? ''}` : 'settled';
  const leads = membersOf(watcher, names.cache).find(({ metadata }) => metadata.labels?.[roleLabel] === 'leader');
  const leader = leads?.metadata.name ?? '';
  const row = { kind: 'ClusteredCache', name: names.cache, members: shownOf(watcher, names.cache), leader, step };
  return [{ ...row, waitsFor: upgrade?.blockedBy }];
}

function storeRow(watcher: Watcher): readonly Row[] {
  const store = watcher.find(kvStoreClusters, names.store);
  if (store === undefined) return [];
  const { phase = '', upgrade } = store.status ?? {};
  const step = `${phase} ${upgrade?.step ?? ''}`;
  const row = { kind: 'KVStoreCluster', name: names.store, members: shownOf(watcher, names.store), step };
  return [{ ...row, waitsFor: upgrade?.blockedBy }];
}

function monitoredRow(watcher: Watcher): readonly Row[] {
  const set = watcher.find(monitoredStatefulSets, names.monitored);
  if (set === undefined) return [];
  const { phase: step = '' } = set.status ?? {};
  return [{ kind: 'MonitoredStatefulSet', name: names.monitored, members: shownOf(watcher, names.monitored), step }];
}

function databaseRow(watcher: Watcher): readonly Row[] {
  const database = watcher.find(cloudDatabases, names.database);
  return database ? [{ kind: 'CloudDatabase', name: names.database, step: database.status?.phase ?? '' }] : [];
}

const membersOf = (watcher: Watcher, set: string) => watcher.list(pods, `${set}-`).filter(isMember);

const shownOf = (watcher: Watcher, set: string): string => membersOf(watcher, set).map(shown).join(' ');
