import type { KVStoreCluster } from '@ordinal/api';
import { kvStoreClusters } from '@ordinal/api';
import type { Invariant } from '@ordinal/explorer';
import type { Searched } from '../engine/searched.ts';
import { twoVersionsLead } from '../oracles/two-leaders.ts';
import { kvStoreInvariants } from './invariants.ts';
import { failing, images, storeNow } from '../../../libs/reconcilers/test/kv-store-cluster/kv-store-world.ts';
import { claimsLeft, meddling, patient, searched, setUp } from './scenario.ts';
import {
  allRun,
  annotate,
  change,
  jobHasFailed,
  resource,
} from '../../../libs/reconcilers/test/kv-store-cluster/cluster-states.ts';

const kind = `${kvStoreClusters.plural}.${kvStoreClusters.group}`;

/** What Jobs were run for that have failed, and stay so until a user acts. */
const failed = ({ status }: KVStoreCluster): readonly { readonly purpose: string; readonly what: string }[] =>
  (status?.hooks ?? [])
    .filter(({ purpose, result }) => result === 'Failed' && ['BeforeUpgrade', 'BeforeScaleDown'].includes(purpose))
    .map(({ purpose, subject }) => ({ purpose, what: subject.split('@')[0] ?? '' }));

/** A user asks for each retry: by another spec, or by another value of the annotation. */
const retriesAreAskedFor: Invariant = {
  name: 'a failed Job is run again only where a user has asked for it, once for each time',
  afterChange: (cluster, { kind: of, type, object, previous }) => {
    if (of !== kind || type !== 'MODIFIED') return undefined;
    const [now, before] = [object as KVStoreCluster, previous as KVStoreCluster]; // Of this kind.
    const isAsked =
      now.status?.observedGeneration !== before.status?.observedGeneration ||
      now.status?.retryToken !== before.status?.retryToken;
    if (isAsked) return undefined;
    const again = failed(before).find(({ purpose, what }) => {
      const record = now.status?.hooks?.find((hook) => hook.purpose === purpose);
      return record?.subject.split('@')[0] === what && record.result !== 'Failed' && record.again !== true;
    });
    const wasDue = before.status?.hooks?.some((hook) => hook.purpose === again?.purpose && hook.again === true);
    return again && wasDue !== true && !twoVersionsLead(cluster)
      ? `the Job ${again.purpose} for ${again.what} is run again, and no user has asked`
      : undefined;
  },
};

/** Jobs that fail: one is corrected, the others are asked for again by annotation. */
export const retried: Searched = {
  livesVary: ['timeTravel', 'twoLeaders', 'refuse'],
  ...searched({
    name: 'Jobs that fail and are tried again, corrected or by annotation',
    setUp: setUp({
      upgrade: { ...patient, beforeFirstPod: { command: ['migrate', 'fail'], retries: 0 } },
      scaleDown: { before: { command: ['move'], retries: 0 }, claims: 'Delete' },
      delete: { before: { command: ['release'], retries: 0 } },
      deletionPolicy: 'Delete',
    }),
    drive: async (cluster, until) => {
      await until(() => allRun(cluster, '1.0'));
      await change(cluster, { version: '2.0' });
      await until(() => storeNow(cluster)?.status?.phase === 'Failed');
      await change(cluster, { upgrade: { beforeFirstPod: { command: ['migrate'] } } });
      await until(() => allRun(cluster, '2.0'));
      failing.set(cluster, 'move');
      await change(cluster, { replicas: 2 });
      await until(() => jobHasFailed(cluster, 'BeforeScaleDown'));
      failing.delete(cluster);
      await annotate(cluster, { 'ordinal.dev/retry': '1' });
      await until(() => images(cluster).length === 2 && allRun(cluster, '2.0'));
      failing.set(cluster, 'release');
      await resource(cluster).delete('orders');
      await until(() => jobHasFailed(cluster, 'BeforeDelete'));
      failing.delete(cluster);
      await annotate(cluster, { 'ordinal.dev/retry': '2' });
    },
    isDone: (cluster) => storeNow(cluster) === undefined && images(cluster).length === 0,
    leaks: claimsLeft,
    actions: meddling,
  }),
  oracles: [...kvStoreInvariants, retriesAreAskedFor],
};
