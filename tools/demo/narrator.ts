import { cloudDatabases, clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { isMember, isReady, shown, versionOf } from './pods.ts';
import { names } from './samples.ts';
import { oneLine } from './screen.ts';
import type { Screen } from './screen.ts';
import type { Watcher } from './watcher.ts';

/** What there is to say about something now. It is said when it is new. */
interface Remark {
  readonly about: string;
  readonly subject: string;
  readonly text: string;
  readonly isWait?: boolean;
}

/** Reports what happens in the cluster, until the returned function is called: a line for each change that matters, and a table of how things are. */
export function narrate(watcher: Watcher, screen: Screen): () => void {
  const said = new Map<string, string>();
  const silence = watcher.onChange(() => {
    screen.panel(panelOf(watcher));
    for (const { about, subject, text, isWait } of remarksOn(watcher)) {
      if (text === '' || said.get(about) === text) continue;
      said.set(about, text);
      screen.line(subject, text, isWait === true ? 'wait' : 'plain');
    }
  });
  return () => {
    silence();
    screen.panel([]);
  };
}

/** Everything that can be said now. */
export function remarksOn(watcher: Watcher): readonly Remark[] {
  const upgrade = watcher.find(clusteredCaches, names.cache)?.status?.upgrade;
  const store = watcher.find(kvStoreClusters, names.store)?.status;
  const monitored = watcher.find(monitoredStatefulSets, names.monitored)?.status;
  const database = watcher.find(cloudDatabases, names.database)?.status;
  const entry = monitored?.externalMonitorID;
  const canary = store?.upgrade?.step === 'Analysing' ? `the canary ${store.upgrade.pod ?? ''} is analysed` : '';
  return [
    ...watcher.list(pods).filter(isMember).map(remarkOnPod),
    { about: 'gate', subject: 'cache', text: upgrade?.blockedBy ? `waits for ${upgrade.blockedBy}` : '', isWait: true },
    { about: 'canary', subject: 'store', text: canary },
    { about: 'failure', subject: 'store', text: store?.failure?.message ?? '', isWait: true },
    { about: 'entry', subject: 'monitored', text: entry === undefined ? '' : `registered as ${entry}` },
    { about: 'phase', subject: 'database', text: database?.phase ?? '' },
  ];
}

const subjects: Readonly<Record<string, string>> = {
  [names.cache]: 'cache',
  [names.store]: 'store',
  [names.monitored]: 'monitored',
};

function remarkOnPod(pod: Pod): Remark {
  const { name, uid, deletionTimestamp } = pod.metadata;
  const subject = subjects[name.replace(/-\d+$/, '')] ?? '';
  const doing = deletionTimestamp !== undefined ? 'goes down' : isReady(pod) ? 'serves' : '';
  return { about: `pod ${uid}`, subject, text: doing === '' ? '' : `${name} ${doing} with ${versionOf(pod)}` };
}

/** A row of the table: a resource, its members, what is done with it, and what it waits for. */
interface Row {
  readonly kind: string;
  readonly name: string;
  readonly members?: string;
  readonly step: string;
  readonly waitsFor?: string | undefined;
}

const lineOf = ({ kind, name, members = '', step, waitsFor = '' }: Row): string =>
  `  ${kind.padEnd(20)} ${name.padEnd(11)} ${members.padEnd(24)} ${step.padEnd(34)} ${oneLine(waitsFor)}`.trimEnd();

/** The table of how things are: a line for each resource. */
export function panelOf(watcher: Watcher): readonly string[] {
  const rows = rowsOf(watcher);
  const head: Row = { kind: 'KIND', name: 'NAME', members: 'MEMBERS', step: 'STEP', waitsFor: 'WAITS FOR' };
  return rows.length === 0 ? [''] : ['', lineOf(head), ...rows.map(lineOf)];
}

function rowsOf(watcher: Watcher): readonly Row[] {
  const cache = watcher.find(clusteredCaches, names.cache);
  const store = watcher.find(kvStoreClusters, names.store);
  const monitored = watcher.find(monitoredStatefulSets, names.monitored);
  const database = watcher.find(cloudDatabases, names.database);
  const membersOf = (set: string): string =>
    watcher
      .list(pods, `${set}-`)
      .filter(isMember)
      .map((pod) => shown(pod))
      .join(' ');
  const { upgrade } = cache?.status ?? {};
  const { phase = '', upgrade: storeUpgrade } = store?.status ?? {};
  return [
    ...(cache
      ? [
          {
            ...{ kind: 'ClusteredCache', name: names.cache, members: membersOf(names.cache) },
            step: upgrade ? `${upgrade.step} ${upgrade.pod ?? ''}` : 'settled',
            waitsFor: upgrade?.blockedBy,
          },
        ]
      : []),
    ...(store
      ? [
          {
            ...{ kind: 'KVStoreCluster', name: names.store, members: membersOf(names.store) },
            step: `${phase} ${storeUpgrade?.step ?? ''}`,
            waitsFor: storeUpgrade?.blockedBy,
          },
        ]
      : []),
    ...(monitored
      ? [
          {
            ...{ kind: 'MonitoredStatefulSet', name: names.monitored, members: membersOf(names.monitored) },
            step: monitored.status?.phase ?? '',
          },
        ]
      : []),
    ...(database ? [{ kind: 'CloudDatabase', name: names.database, step: database.status?.phase ?? '' }] : []),
  ];
}
