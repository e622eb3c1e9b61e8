import type { Case, Json } from '../case.ts';
import { pod } from './objects.ts';

const path = '/api/v1/namespaces/:ns/replicationcontrollers';
const controller = (spec: Json, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name: 'web', ...metadata },
  spec,
});
const template = (spec: Json = {}, labels: Json = { app: 'web' }): Json => ({
  metadata: { labels },
  spec: { ...(pod('web')['spec'] as Json), ...spec },
});

const refused: Readonly<Record<string, Json>> = {
  'no template': { selector: { app: 'web' } },
  'neither selector nor labels': { template: template({}, {}) },
  'a selector that misses the template': { selector: { app: 'other' }, template: template() },
  'negative replicas': { replicas: -1, minReadySeconds: -1, template: template() },
  'no containers': { template: template({ containers: [] }) },
  'pods that end': { template: template({ restartPolicy: 'Never' }) },
  'pods with a deadline': { template: template({ activeDeadlineSeconds: 5 }) },
};

/** ReplicationControllers as objects: what is filled in, refused and shown. */
export const replicationControllerCases: readonly Case[] = [
  {
    name: 'replication controllers: selector and labels come from the template; scale, status and table',
    async body(s) {
      await s.create(path, controller({ template: template() }));
      await s.create(
        path,
        controller({ selector: { app: 'web' }, template: template() }, { name: 'two', labels: { a: 'b' } }),
      );
      await s.get(`${path}/web/scale`);
      await s.merge(`${path}/web/scale`, { spec: { replicas: 3 } });
      await s.merge(`${path}/web/status`, { status: { replicas: 1, observedGeneration: 2 } });
      await s.merge(`${path}/web`, { spec: { template: { metadata: { annotations: { a: 'b' } } } } });
      await s.merge(`${path}/web`, { spec: { selector: { app: 'other' } } });
      await s.get(`${path}?fieldSelector=status.replicas=1`);
      await s.table(path);
      await s.delete(`${path}/two`);
      await s.get(`${path}/two`);
    },
  },
  ...Object.entries(refused).map(([name, spec]): Case => ({
    name: `replication controllers: ${name}`,
    body: async (s) => void (await s.create(path, controller(spec))),
  })),
];
