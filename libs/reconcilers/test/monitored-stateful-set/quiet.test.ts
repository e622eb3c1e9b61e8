import { monitoredStatefulSets } from '@ordinal/api';
import { statefulSets } from '@ordinal/client';
import { expect, test } from 'vitest';
import { honest } from '../external/database-world.ts';
import { monitoredSet, setNow, setWorld } from '../external/set-world.ts';

const template = {
  metadata: { labels: { app: 'db' } },
  spec: {
    hostNetwork: false,
    tolerations: [],
    containers: [
      {
        name: 'app',
        image: 'app:1',
        tty: false,
        env: [{ name: 'EMPTY', value: '' }],
        resources: { requests: { cpu: '1000m', memory: '1024Ki' } },
        volumeMounts: [{ name: 'scratch', mountPath: '/scratch', readOnly: false }],
      },
    ],
    volumes: [{ name: 'scratch', emptyDir: { medium: '', sizeLimit: '1024Mi' } }],
  },
};

test('a spec that the API server shows in other words is applied once, and put back when a client changes it', async () => {
  const world = await setWorld(1, honest);
  const { cluster } = world;
  const spec = {
    replicas: 1,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    minReadySeconds: 0,
    template,
  };
  await cluster
    .client()(monitoredStatefulSets)
    .namespace('team')
    .create(monitoredSet('db', { statefulSetSpec: spec }));
  const isReady = (): boolean =>
    setNow(cluster, 'db')?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  await cluster.run({ until: isReady, maxVirtualMs: 900_000 });
  const now = () => cluster.objects.find(statefulSets, 'team', 'db');
  const limit = (): unknown => now()?.spec.template.spec?.volumes?.[0]?.emptyDir?.sizeLimit;
  expect(limit()).toBe('1Gi');

  await cluster.advance(60_000); // What is on its way when it becomes ready, arrives.
  const applied = now()?.metadata;
  const entriesBefore = cluster.trace.entries.length;
  await cluster.advance(3_600_000);
  expect(now()?.metadata).toEqual(applied);
  const since = cluster.trace.entries.slice(entriesBefore);
  // It still asks the monitor now and then.
  expect(since.filter(({ action }) => action !== 'call')).toEqual([]);

  const path = '/spec/template/spec/volumes/0/emptyDir/sizeLimit';
  await cluster
    .client()(statefulSets)
    .namespace('team')
    .patch('db', { type: 'json', operations: [{ op: 'replace', path, value: '2Gi' }] });
  await cluster.run({ until: () => limit() === '1Gi', maxVirtualMs: 60_000 });
  expect(limit()).toBe('1Gi');
  cluster.stop();
});
