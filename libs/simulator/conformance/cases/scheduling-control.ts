import type { Case, Json, Session } from '../case.ts';
import { paths } from './objects.ts';
import { until } from './until.ts';

/** Keeps the pods of other cases away from the nodes of this one. */
const own = 'example.com/scheduling';
const conditionsOf = (body: Json): readonly Json[] =>
  (((body['status'] ?? {}) as Json)['conditions'] ?? []) as readonly Json[];
const at = (s: Session, path: string): string => path.replaceAll(':ns', s.namespace);

/** A node that nothing runs, with two processors: it reports once that it is ready. */
async function addNode(s: Session, name: string): Promise<void> {
  const send = (method: 'POST' | 'PATCH', path: string, body: unknown) =>
    s.world.send({ method, path, body, ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }) });
  const now = new Date().toISOString().replace(/\.\d+Z/, 'Z');
  const ready = { type: 'Ready', status: 'True', reason: 'Up', lastHeartbeatTime: now, lastTransitionTime: now };
  const amounts = { pods: '10', cpu: '2', memory: '1Gi' };
  await send('POST', '/api/v1/nodes', { metadata: { name, labels: { [own]: s.namespace } } });
  await send('PATCH', `/api/v1/nodes/${name}/status`, {
    status: { conditions: [ready], allocatable: amounts, capacity: amounts },
  });
  await send('PATCH', `/api/v1/nodes/${name}`, { spec: { taints: [{ key: own, effect: 'NoSchedule' }] } });
}

/** Adds a pod that runs on nodes of this case alone, and waits until it has been looked at. */
async function addPod(s: Session, name: string, cpu: string, spec: Json = {}): Promise<void> {
  await s.world.send({
    method: 'POST',
    path: at(s, paths.pods),
    body: {
      metadata: { name },
      spec: {
        nodeSelector: { [own]: s.namespace },
        tolerations: [{ key: own, operator: 'Exists' }],
        containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu } } }],
        ...spec,
      },
    },
  });
  await until(s, `${paths.pods}/${name}`, (_, body) => conditionsOf(body).length > 0);
}

/** Where a pod is, or why it is nowhere. The number of nodes is that of all cases together. */
async function show(s: Session, name: string): Promise<void> {
  const { status, body } = await s.world.send({ method: 'GET', path: at(s, `${paths.pods}/${name}`) });
  const pod = body as { readonly spec?: Json; readonly status?: Json; readonly metadata?: Json };
  const conditions = conditionsOf(body as Json).map(({ type, status: value, reason, message }) => ({
    ...{ type, value, reason },
    message: typeof message === 'string' && message.startsWith('0/') ? 'no node' : message,
  }));
  const node = String(pod.spec?.['nodeName'] ?? '');
  const nominated = pod.status?.['nominatedNodeName'];
  s.record(`pod ${name}`, {
    status,
    node: node.replace(s.namespace, '<namespace>'),
    nominated: typeof nominated === 'string' ? nominated.replace(s.namespace, '<namespace>') : undefined,
    isLeaving: pod.metadata?.['deletionTimestamp'] !== undefined,
    conditions,
  });
}

/** What the scheduler makes of what pods ask for, and of their priorities. */
export const schedulingCases: readonly Case[] = [
  {
    name: 'scheduling: room on nodes, and pods of a lower priority that make it',
    async body(s) {
      const [low, high] = ['low', 'high'].map((name) => `${s.namespace}-${name}`);
      for (const [name, value] of [
        [low, 10],
        [high, 1000],
      ])
        await s.world.send({
          method: 'POST',
          path: '/apis/scheduling.k8s.io/v1/priorityclasses',
          body: { metadata: { name }, value },
        });
      await addNode(s, `${s.namespace}-a`);
      await addPod(s, 'first', '1500m', { priorityClassName: low });
      await addPod(s, 'second', '1');
      await show(s, 'first');
      await show(s, 'second');
      await addPod(s, 'third', '1', { priorityClassName: high, preemptionPolicy: undefined });
      const isLeaving = (_: number, body: Json): boolean =>
        ((body['metadata'] ?? {}) as Json)['deletionTimestamp'] !== undefined;
      await until(s, `${paths.pods}/first`, isLeaving);
      await until(
        s,
        `${paths.pods}/third`,
        (_, body) => ((body['status'] ?? {}) as Json)['nominatedNodeName'] !== undefined,
      );
      await show(s, 'first');
      await show(s, 'third');
      // Its node would remove it.
      await s.world.send({ method: 'DELETE', path: at(s, `${paths.pods}/first?gracePeriodSeconds=0`) });
      await until(s, `${paths.pods}/third`, (_, body) => ((body['spec'] ?? {}) as Json)['nodeName'] !== undefined);
      await until(s, `${paths.pods}/second`, (_, body) => ((body['spec'] ?? {}) as Json)['nodeName'] !== undefined);
      await show(s, 'third');
      await show(s, 'second');
      await s.world.send({ method: 'DELETE', path: `/api/v1/nodes/${s.namespace}-a` });
      for (const name of [low, high])
        await s.world.send({ method: 'DELETE', path: `/apis/scheduling.k8s.io/v1/priorityclasses/${String(name)}` });
    },
  },
];
