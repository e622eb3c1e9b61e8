import type { Case, Json, Session } from '../case.ts';
import { daemonSet } from './daemon-sets.ts';
import { paths } from './objects.ts';
import { until } from './until.ts';

const sets = '/apis/apps/v1/namespaces/:ns/daemonsets';
const revisions = '/apis/apps/v1/namespaces/:ns/controllerrevisions';
const hashLabel = 'controller-revision-hash';
/** Keeps the pods of other cases away from the nodes of this one. */
const own = 'example.com/daemons';

interface DaemonPod {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string; readonly affinity?: unknown; readonly tolerations?: unknown } & Json;
}

const at = (s: Session, path: string): string => path.replaceAll(':ns', s.namespace);
const podsIn = (body: Json): readonly DaemonPod[] => body['items'] as readonly DaemonPod[];

async function list(s: Session, path: string): Promise<Json> {
  return (await s.world.send({ method: 'GET', path: at(s, path) })).body as Json;
}

/** Replaces hashes, which are each world's own, by marks in the order of their revisions. */
async function record(s: Session, title: string, value: unknown): Promise<void> {
  const items = (await list(s, revisions))['items'] as readonly (DaemonPod & { readonly revision: number })[];
  const ordered = [...items].sort((left, right) => left.revision - right.revision);
  let text = JSON.stringify(value).replaceAll(s.namespace, '<namespace>');
  for (const { metadata, revision } of ordered)
    text = text.replaceAll(metadata.labels[hashLabel] ?? '<none>', `<revision ${revision}>`);
  s.record(title, JSON.parse(text));
}

/** A node that nothing runs: it reports once that it is ready. */
async function addNode(s: Session, name: string, labels: Json = {}): Promise<void> {
  const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
    s.world.send({ method, path, body, ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }) });
  const metadata = { name, labels: { ...labels, case: s.namespace } };
  await send('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
  const now = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  const condition = { type: 'Ready', status: 'True', reason: 'Up', lastHeartbeatTime: now, lastTransitionTime: now };
  await send('PATCH', `/api/v1/nodes/${name}/status`, {
    status: {
      conditions: [condition],
      allocatable: { pods: '10', cpu: '1', memory: '1Gi' },
      capacity: { pods: '10', cpu: '1', memory: '1Gi' },
    },
  });
  const taints = [{ key: own, effect: 'NoSchedule' }];
  await send('PATCH', `/api/v1/nodes/${name}`, { spec: { taints } });
}

const removeNode = (s: Session, name: string) => s.world.send({ method: 'DELETE', path: `/api/v1/nodes/${name}` });

/** Removes pods that are being deleted, as their nodes would. */
async function buryPods(s: Session): Promise<void> {
  for (const { metadata } of podsIn(await list(s, paths.pods)))
    if (metadata.deletionTimestamp !== undefined)
      await s.world.send({
        method: 'DELETE',
        path: `${at(s, paths.pods)}/${metadata.name}`,
        body: { gracePeriodSeconds: 0 },
      });
}

/** Makes the pods that are there ready. */
async function readyPods(s: Session): Promise<void> {
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' };
  for (const { metadata } of podsIn(await list(s, paths.pods)))
    await s.world.send({
      method: 'PATCH',
      path: `${at(s, paths.pods)}/${metadata.name}/status`,
      body: { status: { phase: 'Running', conditions: [condition] } },
      contentType: 'application/merge-patch+json',
    });
}

const isCounted = (wanted: Json) => (_: number, body: Json) => {
  const status = (body as { readonly status?: Json }).status ?? {};
  return Object.entries(wanted).every(([name, count]) => (status[name] ?? 0) === count);
};

const statusOf = async (s: Session): Promise<unknown> => (await list(s, `${sets}/a`))['status'];

/** DaemonSets on nodes that nothing runs: for worlds whose controllers run. */
export const daemonControlCases: readonly Case[] = [
  {
    name: 'daemon sets: a pod for each node, and a rolling update',
    async body(s) {
      const nodes = ['one', 'two'].map((name) => `${name}-${s.namespace}`);
      const [one = '', two = ''] = nodes;
      await addNode(s, one);
      try {
        const tolerations = [{ key: own, operator: 'Exists' }];
        await s.create(sets, daemonSet('a', {}, { tolerations, nodeSelector: { case: s.namespace } }));
        await until(s, `${sets}/a`, isCounted({ currentNumberScheduled: 1, updatedNumberScheduled: 1 }));
        await until(s, paths.pods, (_, body) => podsIn(body)[0]?.spec.nodeName === one);
        const [first] = podsIn(await list(s, paths.pods));
        const { affinity, tolerations: all, nodeName } = first?.spec ?? {};
        await record(s, 'the first pod', { labels: first?.metadata.labels, affinity, tolerations: all, nodeName });
        await record(s, 'status, not ready', await statusOf(s));
        await addNode(s, two);
        await until(s, `${sets}/a`, isCounted({ currentNumberScheduled: 2 }));
        await readyPods(s);
        await until(s, `${sets}/a`, isCounted({ numberAvailable: 2 }));
        await record(s, 'status, ready', await statusOf(s));
        await s.world.send({
          method: 'PATCH',
          path: `${at(s, sets)}/a`,
          body: { spec: { template: { metadata: { annotations: { change: '1' } } } } },
          contentType: 'application/merge-patch+json',
        });
        for (const updated of [1, 2]) {
          await until(s, paths.pods, (_, body) =>
            podsIn(body).some(({ metadata }) => metadata.deletionTimestamp !== undefined),
          );
          const leaving = podsIn(await list(s, paths.pods)).filter(
            ({ metadata }) => metadata.deletionTimestamp !== undefined,
          );
          s.record('pods that are replaced', leaving.length);
          await buryPods(s);
          await until(s, `${sets}/a`, isCounted({ updatedNumberScheduled: updated }));
          await record(s, 'status, updating', await statusOf(s));
          await readyPods(s);
        }
        await until(s, `${sets}/a`, isCounted({ numberAvailable: 2, updatedNumberScheduled: 2 }));
        await record(s, 'status, updated', await statusOf(s));
        const kept = (await list(s, revisions))['items'] as readonly (Json & DaemonPod)[];
        const shown = kept
          .map(({ revision, data, metadata: { labels, name } }) => ({ revision, data, labels, name }))
          .sort((left, right) => Number(left.revision) - Number(right.revision));
        await record(s, 'revisions', shown);
        await s.world.send({
          method: 'PATCH',
          path: `/api/v1/nodes/${two}`,
          body: { metadata: { labels: { case: 'another' } } },
          contentType: 'application/merge-patch+json',
        });
        await until(s, `${sets}/a`, isCounted({ desiredNumberScheduled: 1, numberMisscheduled: 1 }));
        await record(s, 'status, misscheduled', await statusOf(s));
        await buryPods(s);
        await until(s, `${sets}/a`, isCounted({ numberMisscheduled: 0 }));
        await record(s, 'status, at the end', await statusOf(s));
      } finally {
        await s.world.send({ method: 'DELETE', path: `${at(s, sets)}/a` });
        for (const node of nodes) await removeNode(s, node);
      }
    },
  },
];
