import type { Case, Json, Session } from '../case.ts';
import { paths, pod } from './objects.ts';
import { until } from './until.ts';

const finalizers = ['example.com/stay'];
const statusOf = (body: Json): Json => (body['status'] ?? {}) as Json;

/** Waits until a pod is deleted, shows why in its status, and lets it go. */
async function whyItGoes(s: Session, name: string, attempts: number): Promise<void> {
  const path = `${paths.pods}/${name}`;
  const isGoing = (_: number, body: Json) => ((body['metadata'] ?? {}) as Json)['deletionTimestamp'] !== undefined;
  for (let left = attempts; left > 0; left -= 1) await until(s, path, isGoing);
  const { body } = await s.world.send({ method: 'GET', path: path.replace(':ns', s.namespace) });
  const {
    phase,
    observedGeneration,
    conditions = [],
  } = statusOf(body as Json) as {
    readonly phase?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Json[];
  };
  s.record(name, {
    phase,
    observedGeneration,
    conditions: conditions.filter(({ type }) => type === 'DisruptionTarget'),
  });
  await s.world.send({
    method: 'PATCH',
    path: path.replace(':ns', s.namespace),
    contentType: 'application/merge-patch+json',
    body: { metadata: { finalizers: null } },
  });
}

/** Pods that end without a user's wish: for worlds whose controllers run. */
export const disruptionCases: readonly Case[] = [
  {
    name: 'disruption: a taint with NoExecute',
    async body(s) {
      const name = `node-${s.namespace}`;
      await s.world.send({
        method: 'POST',
        path: '/api/v1/nodes',
        body: { apiVersion: 'v1', kind: 'Node', metadata: { name } },
      });
      const own = pod(
        'web',
        { nodeName: name, tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }] },
        { finalizers },
      );
      await s.world.send({ method: 'POST', path: paths.pods.replace(':ns', s.namespace), body: own });
      await s.world.send({
        method: 'PATCH',
        path: `/api/v1/nodes/${name}`,
        contentType: 'application/merge-patch+json',
        body: { spec: { taints: [{ key: 'maintenance', effect: 'NoExecute' }] } },
      });
      await whyItGoes(s, 'web', 1);
      await s.world.send({ method: 'DELETE', path: `/api/v1/nodes/${name}` });
    },
  },
  {
    name: 'disruption: a node that is not there',
    async body(s) {
      const own = pod('web', { nodeName: 'absent' }, { finalizers });
      await s.world.send({ method: 'POST', path: paths.pods.replace(':ns', s.namespace), body: own });
      await whyItGoes(s, 'web', 4);
    },
  },
];
