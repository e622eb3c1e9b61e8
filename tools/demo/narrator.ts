import { cloudDatabases, clusteredCaches, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import type { Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { isMember, isReady, versionOf } from './pods.ts';
import { names } from './samples.ts';
import type { Screen } from './screen.ts';
import { tableOf } from './table.ts';
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
    screen.panel(tableOf(watcher));
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
