import type { Client, KubernetesObjectInput } from '@ordinal/client';
import {
  controllerRevisions,
  isApiError,
  namespaces,
  persistentVolumeClaims,
  pods,
  statefulSets,
  timestamp,
} from '@ordinal/client';

/** A world that a history of a StatefulSet runs in. No node runs its pods: the test marks them as running and ready, and ends them. */
export interface HistoryWorld {
  readonly client: Client;
  /** Lets the controllers do what they have to, for about so long. */
  readonly pass: (ms: number) => Promise<void>;
  readonly now: () => number;
  /** For how long nothing has to change until a step counts as done. */
  readonly quietMs: number;
}

/** What is to be seen at the end of a step, and which pods came and went in it. */
export interface StepRecord {
  readonly step: string;
  readonly events: readonly string[];
  readonly pods: readonly string[];
  readonly status: unknown;
  readonly revisions: readonly string[];
  readonly claims: readonly string[];
}

/** What the test does between two looks. */
export interface Step {
  readonly name: string;
  readonly act: (world: HistoryWorld, namespace: string) => Promise<unknown>;
  /** What follows takes so long to begin: the pod collector looks every 20 s. */
  readonly lastsMs?: number;
  /** Pods come or go in any order: the collector's workers run side by side. */
  readonly isUnordered?: boolean;
}

/** A history: what the set is like, and what happens to it. */
export interface StatefulSetHistory {
  readonly name: string;
  readonly spec: Record<string, unknown>;
  readonly steps: readonly Step[];
}

const claim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const template = (image: string): unknown => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }] },
});

const setOf = ({ client }: HistoryWorld, namespace: string) => client(statefulSets).namespace(namespace);
const podOf = ({ client }: HistoryWorld, namespace: string) => client(pods).namespace(namespace);
const patch = (name: string, spec: unknown): Step => ({
  name,
  act: (world, namespace) => setOf(world, namespace).patch('web', { type: 'merge', body: { spec } }),
});
const scale = (replicas: number): Step => patch(`scale to ${replicas}`, { replicas });
const image = (reference: string): Step => patch(`image ${reference}`, { template: template(reference) });
const partition = (number: number): Step =>
  patch(`partition ${number}`, { updateStrategy: { rollingUpdate: { partition: number } } });
const deletePod = (pod: string): Step => ({
  name: `delete pod ${pod}`,
  act: (world, namespace) => podOf(world, namespace).delete(pod),
});
const finalizers = (pod: string, list: readonly string[]): Step => ({
  name: `finalizers of ${pod}: ${list.join()}`,
  act: (world, namespace) =>
    podOf(world, namespace).patch(pod, { type: 'merge', body: { metadata: { finalizers: list } } }),
});
const fail = (pod: string): Step => ({
  name: `${pod} fails`,
  act: (world, namespace) =>
    podOf(world, namespace).status.patch(pod, { type: 'merge', body: { status: { phase: 'Failed' } } }),
});
const deleteSet = (propagationPolicy: 'Background' | 'Foreground' | 'Orphan'): Step => ({
  name: `delete the set, ${propagationPolicy}`,
  act: (world, namespace) => setOf(world, namespace).delete('web', { propagationPolicy }),
  isUnordered: true,
});
const createSet = (spec: Record<string, unknown>): Step => ({
  name: 'create the set',
  act: (world, namespace) => create(world, namespace, spec),
});
const deleteClaim = (name: string): Step => ({
  name: `delete claim ${name}`,
  act: ({ client }, namespace) => client(persistentVolumeClaims).namespace(namespace).delete(name),
});

/** The histories that the simulated controller and the real one have to agree on. */
export const statefulSetHistories: readonly StatefulSetHistory[] = [
  { name: 'scale', spec: {}, steps: [scale(1), scale(4), scale(0)] },
  { name: 'rolling update', spec: {}, steps: [image('app:2'), image('app:1'), image('app:3')] },
  {
    name: 'partition',
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
    steps: [image('app:2'), deletePod('web-0'), partition(0)],
  },
  {
    name: 'on delete',
    spec: { updateStrategy: { type: 'OnDelete' } },
    steps: [image('app:2'), deletePod('web-1'), scale(4), deletePod('web-0')],
  },
  { name: 'broken image and rollback', spec: {}, steps: [image('broken'), image('app:1'), deletePod('web-2')] },
  {
    name: 'scale while broken',
    spec: {},
    steps: [image('broken'), scale(5), scale(2), image('app:2'), deletePod('web-1')],
  },
  { name: 'pod deleted by hand', spec: {}, steps: [deletePod('web-1'), deletePod('web-0')] },
  {
    name: 'finalizer on a pod',
    spec: {},
    steps: [
      finalizers('web-1', ['example.com/hold']),
      { ...deletePod('web-1'), lastsMs: 25_000 },
      scale(2),
      image('app:2'),
      finalizers('web-1', []),
    ],
  },
  {
    name: 'parallel',
    spec: { podManagementPolicy: 'Parallel' },
    steps: [scale(5), image('app:2'), scale(1), image('broken'), image('app:1')],
  },
  { name: 'failed pod', spec: {}, steps: [fail('web-1'), fail('web-0')] },
  {
    name: 'claims',
    spec: { volumeClaimTemplates: [claim] },
    steps: [scale(1), deleteClaim('data-web-2'), scale(3), deleteClaim('data-web-0'), deletePod('web-0')],
  },
  {
    name: 'claims without a retaining owner',
    spec: {
      volumeClaimTemplates: [claim],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    },
    steps: [scale(1), scale(2), deleteSet('Background')],
  },
  {
    name: 'claims deleted with the set only',
    spec: {
      volumeClaimTemplates: [claim],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
    },
    steps: [scale(1), deleteSet('Foreground')],
  },
  {
    name: 'history limit',
    spec: { revisionHistoryLimit: 1, replicas: 1 },
    steps: ['app:2', 'app:3', 'app:4', 'app:2', 'app:5'].map(image),
  },
  {
    name: 'first ordinal',
    spec: { ordinals: { start: 3 } },
    steps: [scale(2), patch('start at 1', { ordinals: { start: 1 } })],
  },
  { name: 'orphaned and adopted', spec: {}, steps: [deleteSet('Orphan'), createSet({}), image('app:2')] },
  { name: 'foreground', spec: {}, steps: [deleteSet('Foreground')] },
  { name: 'minimum ready', spec: { minReadySeconds: 2 }, steps: [image('app:2')] },
  {
    name: 'partition lowered member by member, and taken back',
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 3 } } },
    steps: [image('app:2'), partition(2), partition(1), image('app:1'), partition(3), deletePod('web-2')],
  },
  {
    name: 'partition above the set, which grows and shrinks',
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 4 } } },
    steps: [image('app:2'), scale(5), scale(2), partition(0)],
  },
  {
    name: 'from on delete to a rolling update',
    spec: { updateStrategy: { type: 'OnDelete' } },
    steps: [image('app:2'), deletePod('web-0'), patch('rolling update', { updateStrategy: { type: 'RollingUpdate' } })],
  },
  {
    name: 'on delete with claims, one of them lost',
    spec: { updateStrategy: { type: 'OnDelete' }, volumeClaimTemplates: [claim] },
    steps: [image('app:2'), deleteClaim('data-web-2'), deletePod('web-2'), scale(2), scale(3)],
  },
  {
    name: 'parallel with a partition',
    spec: {
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
    },
    steps: [image('app:2'), scale(4), deletePod('web-0'), scale(1)],
  },
  {
    name: 'a first ordinal with a partition',
    spec: {
      ordinals: { start: 2 },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 4 } },
    },
    steps: [image('app:2'), partition(3), deletePod('web-2'), scale(1)],
  },
];

/** Runs a history, and records each of its steps. */
export async function runStatefulSetHistory(
  history: StatefulSetHistory,
  world: HistoryWorld,
  namespace: string,
): Promise<readonly StepRecord[]> {
  await world
    .client(namespaces)
    .cluster()
    .create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await world.pass(500);
  const events: string[] = [];
  const watching = new AbortController();
  const { resourceVersion } = await podOf(world, namespace).list();
  const watched = record(world, namespace, { events, signal: watching.signal, resourceVersion });
  const steps: readonly Step[] = [createSet(history.spec), ...history.steps];
  const records: StepRecord[] = [];
  for (const { name, act, lastsMs = 0, isUnordered = false } of steps) {
    await act(world, namespace);
    await world.pass(lastsMs);
    await settle(world, namespace);
    const came = events.splice(0);
    // In parallel, pods come and go in any order.
    if (isUnordered || history.spec['podManagementPolicy'] === 'Parallel') came.sort();
    records.push({ step: name, events: came, ...(await look(world, namespace)) });
  }
  watching.abort();
  await watched;
  return records;
}

function create(world: HistoryWorld, namespace: string, spec: Record<string, unknown>): Promise<unknown> {
  const set = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'web', namespace },
    spec: {
      replicas: 3,
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: template('app:1'),
      ...spec,
    },
  };
  return setOf(world, namespace).create(set as KubernetesObjectInput as never);
}

async function record(
  world: HistoryWorld,
  namespace: string,
  {
    events,
    signal,
    resourceVersion,
  }: { readonly events: string[]; readonly signal: AbortSignal; readonly resourceVersion: string },
): Promise<void> {
  try {
    for await (const { type, object } of podOf(world, namespace).watch({ resourceVersion, signal })) {
      if (type === 'ADDED' || type === 'DELETED')
        events.push(`${type} ${object.metadata.name} ${object.metadata.labels?.['controller-revision-hash'] ?? ''}`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const lookMs = 500;

/** Plays the node until nothing is left to play, and nothing has changed for a while. */
async function settle(world: HistoryWorld, namespace: string): Promise<void> {
  let quiet = 0;
  let before = '';
  while (quiet * lookMs < world.quietMs) {
    await world.pass(lookMs);
    const acted = await playNode(world, namespace);
    const now = JSON.stringify(await look(world, namespace));
    quiet = acted || now !== before ? 0 : quiet + 1;
    before = now;
  }
}

/** Marks one pod as running and ready, unless its image is broken: one at a time, so that what follows has one order only. */
async function playNode(world: HistoryWorld, namespace: string): Promise<boolean> {
  const { items } = await podOf(world, namespace).list();
  for (const pod of items) {
    const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    if (
      isReady ||
      pod.status?.phase === 'Failed' ||
      pod.metadata.deletionTimestamp !== undefined ||
      pod.spec.containers[0]?.image === 'broken'
    )
      continue;
    const lastTransitionTime = timestamp(world.now());
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] };
    try {
      await podOf(world, namespace).status.patch(pod.metadata.name, { type: 'strategic', body: { status } });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    return true;
  }
  return false;
}

async function look(world: HistoryWorld, namespace: string): Promise<Omit<StepRecord, 'step' | 'events'>> {
  const set = await setOf(world, namespace).find('web');
  const [podList, revisionList, claimList] = [
    await podOf(world, namespace).list(),
    await world.client(controllerRevisions).namespace(namespace).list(),
    await world.client(persistentVolumeClaims).namespace(namespace).list(),
  ];
  return {
    pods: podList.items.map(
      ({ metadata, status }) =>
        `${metadata.name} ${metadata.labels?.['controller-revision-hash'] ?? ''} ${status?.phase ?? ''}${metadata.deletionTimestamp === undefined ? '' : ' leaving'}`,
    ),
    status: set === undefined ? undefined : Object.fromEntries(Object.entries(set.status ?? {}).sort()),
    revisions: revisionList.items
      .map(
        ({ metadata, revision }) =>
          `${metadata.name} ${revision}${metadata.ownerReferences ? '' : ' without an owner'}`,
      )
      .sort(),
    claims: claimList.items.map(
      ({ metadata }) =>
        `${metadata.name} ${(metadata.ownerReferences ?? []).map(({ kind, name, controller }) => `${kind}/${name}/${String(controller)}`).join()}${metadata.deletionTimestamp === undefined ? '' : ' leaving'}`,
    ),
  };
}
