import type { Case, Json } from '../case.ts';
import { deployment, paths } from './objects.ts';
import { until } from './until.ts';

const isFailing = (_: number, body: Json): boolean =>
  ((body as { status?: { conditions?: readonly Json[] } }).status?.conditions ?? []).some(
    ({ type }) => type === 'ReplicaFailure',
  );

/** Pods that can not be created: for worlds whose controllers run. */
export const replicaFailureCases: readonly Case[] = [
  {
    name: 'replica failure: a quota leaves no room for the pods of a Deployment, and then does',
    async body(s) {
      const quotas = '/api/v1/namespaces/:ns/resourcequotas';
      const hard = { pods: '0' };
      await s.create(quotas, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' }, spec: { hard } });
      await until(s, `${quotas}/none`, (_, body) => 'used' in ((body as { status?: Json }).status ?? {}));
      await s.create(paths.deployments, deployment('web', { replicas: 1 }));
      const path = `${paths.deployments}/web`;
      const record = async (title: string): Promise<void> => {
        const { body } = await s.world.send({ method: 'GET', path: path.replaceAll(':ns', s.namespace) });
        const { conditions } = (body as { status: { conditions: readonly Json[] } }).status;
        const shown = conditions
          .filter(({ type }) => type === 'ReplicaFailure')
          .map(({ status, reason, message }) => ({
            ...{ status, reason },
            message: String(message).replaceAll(/web-[a-z0-9-]+/g, 'web-<generated>'),
          }));
        s.record(title, shown);
      };
      await until(s, path, isFailing);
      await record('why, while there is no room');
      await s.delete(`${quotas}/none`);
      await until(s, path, (code, body) => !isFailing(code, body));
      await record('why, afterwards');
    },
  },
];
