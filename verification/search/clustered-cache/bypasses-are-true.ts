import type { ClusteredCache } from '@ordinal/api';
import type { KubernetesObject, StatefulSet } from '@ordinal/client';
import type { Invariant } from '@ordinal/explorer';
import type { TestCluster } from '@ordinal/simulator';
import { preTerminateHook } from '../../../libs/reconcilers/src/clustered-cache/names.ts';
import { twoLead } from '../oracles/two-leaders.ts';

/** What a client did to a member: its finalizer went, its deletion began, it lost a label, or the StatefulSet was made so small that it has no place in it. */
interface Deed {
  readonly pod: string;
  readonly uid: string;
  readonly what: 'released' | 'deleted' | 'taken out' | 'taken away';
  readonly resourceVersion: string;
  /** Whether two operators led when it was done: for each of them, the other one is another client. */
  readonly twoLed: boolean;
}

/** A bypass that was reported. */
interface Telling {
  readonly message: string;
  /** What had been done by then. */
  readonly deeds: readonly Deed[];
  /** The operator that had written the status before. */
  readonly recordedBy: string | undefined;
}

/** What is known of who did what in one history. */
interface Deeds {
  readonly done: Deed[];
  readonly reported: Telling[];
  /** The operator that has made a version of a pod, or of the StatefulSet. */
  readonly writers: Map<string, string>;
  /** The UIDs of the members that the webhook has allowed to be deleted. */
  readonly reserved: Set<string>;
  /** The operator that has written the status last. */
  recordedBy?: string;
}

const known = new WeakMap<TestCluster, Deeds>();

function deedsOf(cluster: TestCluster): Deeds {
  const found = known.get(cluster);
  if (found) return found;
  const deeds: Deeds = { done: [], reported: [], writers: new Map(), reserved: new Set() };
  known.set(cluster, deeds);
  cluster.server.intercept?.({
    after: ({ verb, resource: { plural }, user }, { status, body }) => {
      const { resourceVersion } = (body as { readonly metadata?: KubernetesObject['metadata'] }).metadata ?? {};
      const isWrite = verb === 'patch' || verb === 'delete' || verb === 'apply';
      const isNoted = isWrite && (plural === 'pods' || plural === 'statefulsets');
      const isOurs = isNoted && status < 300 && user?.name.includes('operator') === true;
      if (isOurs && resourceVersion !== undefined) deeds.writers.set(resourceVersion, user.name);
      return undefined;
    },
  });
  return deeds;
}

const isHeld = (pod: KubernetesObject | undefined): boolean =>
  pod?.metadata.finalizers?.includes(preTerminateHook) ?? false;

function note(cluster: TestCluster, object: KubernetesObject, previous: KubernetesObject | undefined): void {
  const { name: pod, uid, resourceVersion = '', deletionTimestamp } = object.metadata;
  const { done } = deedsOf(cluster);
  const add = (what: Deed['what']): void => {
    done.push({ pod, uid, what, resourceVersion, twoLed: twoLead(cluster) });
  };
  if (isHeld(previous) && !isHeld(object)) add('released');
  if (deletionTimestamp !== undefined && previous?.metadata.deletionTimestamp === undefined) add('deleted');
  if (isHeld(previous) && previous?.metadata.labels?.['app'] !== object.metadata.labels?.['app']) add('taken out');
}

/** A StatefulSet that becomes smaller has no place for the members of the highest ordinals. */
function noteSize(cluster: TestCluster, set: StatefulSet, previous: StatefulSet | undefined): void {
  const { name, uid, resourceVersion = '' } = set.metadata;
  const [from, to] = [previous?.spec.replicas ?? 0, set.spec.replicas ?? 1];
  for (let ordinal = to; ordinal < from; ordinal += 1)
    deedsOf(cluster).done.push({
      ...{ pod: `${name}-${ordinal}`, uid, what: 'taken away', resourceVersion, twoLed: twoLead(cluster) },
    });
}

/** What a sentence about a bypass says that was done. */
function deedIn(sentence: string): Deed['what'] {
  if (sentence.includes('was deleted')) return 'deleted';
  if (sentence.includes('taken away')) return 'taken away';
  return sentence.includes('taken out') ? 'taken out' : 'released';
}

const messageOf = ({ status }: ClusteredCache): string | undefined =>
  status?.conditions?.find((condition) => condition.type === 'GateBypassed' && condition.status === 'True')?.message;

/** The names of the members that a message names, with what was done to them. */
const reportedBy = (message: string): readonly { readonly pod: string; readonly what: Deed['what'] }[] =>
  message.split('; ').map((sentence) => ({
    pod: /sessions-\d+/.exec(sentence)?.[0] ?? '',
    what: deedIn(sentence),
  }));

/**
 * The operator that reports a bypass has not done it: no operator did, or, while two led, the other one. Or the other one has since replaced the status, which said that this one was about to
 * do it: it had begun before that, and did not know.
 */
function isTrue({ writers, reserved }: Deeds, { message, deeds, recordedBy }: Telling, teller: string): boolean {
  const isAnotherClients = (deed: Deed): boolean => {
    const doer = writers.get(deed.resourceVersion);
    return doer === undefined || (deed.twoLed && (doer !== teller || recordedBy !== teller));
  };
  return reportedBy(message).every(({ pod, what }) =>
    deeds.some(
      (deed) =>
        deed.pod === pod &&
        deed.what === what &&
        isAnotherClients(deed) &&
        !(what === 'deleted' && reserved.has(deed.uid)),
    ),
  );
}

/** A bypassed gate is reported only where another client has deleted a member, removed its finalizer or its label, and the webhook had not allowed it; another leader is another client. */
export const bypassesAreTrue: Invariant = {
  name: 'a bypassed gate that is reported was bypassed',
  afterChange: (cluster, { kind, object, previous }) => {
    // Who has made a version of a pod a real API server does not tell.
    if (!('intercept' in cluster.server)) return undefined;
    const { done, reported, reserved, recordedBy } = deedsOf(cluster);
    if (kind === 'pods') note(cluster, object, previous);
    if (kind === 'statefulsets.apps') noteSize(cluster, object as StatefulSet, previous as StatefulSet | undefined);
    if (kind !== 'clusteredcaches.cache.my.domain') return undefined;
    const [uid = ''] = object.metadata.annotations?.['ordinal.dev/reservation']?.split(' ') ?? [];
    reserved.add(uid);
    const message = messageOf(object as ClusteredCache); // Of this kind.
    if (message !== undefined && message !== (previous && messageOf(previous as ClusteredCache)))
      reported.push({ message, deeds: [...done], recordedBy });
    return undefined;
  },
  afterRequest: (cluster, { kind, user, subresource, status }) => {
    if (kind !== 'clusteredcaches.cache.my.domain') return undefined;
    const deeds = deedsOf(cluster);
    const wrong = deeds.reported.splice(0).find((telling) => !isTrue(deeds, telling, user));
    if (subresource === 'status' && status < 300) deeds.recordedBy = user;
    return wrong && `no other client did it: ${wrong.message}`;
  },
};
