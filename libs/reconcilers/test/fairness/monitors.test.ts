import type { MonitoredStatefulSetInput } from '@ordinal/api';
import { monitoredStatefulSets } from '@ordinal/api';
import { SimulatedCluster } from '@ordinal/simulator';
import { expect, test } from 'vitest';
import { ExternalError } from '@ordinal/lifecycle';
import { monitoredStatefulSetControllers } from '../../src/monitored-stateful-set/index.ts';
import type { MonitorSystem } from '../../src/monitored-stateful-set/index.ts';
import { definition } from '../external/definition.ts';
import { clientOf, managerOf, probesOf, seals, start } from '../operator/parts.ts';

const traits = { repeatedCreate: 'returnsFirst', settleMs: 0, callTimeoutMs: 5_000 } as const;

function setAt(namespace: string, name: string, monitorEndpoint: string): MonitoredStatefulSetInput {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
  return {
    apiVersion: 'statefulsets.example.com/v1alpha1',
    kind: 'MonitoredStatefulSet',
    metadata: { name, namespace },
    spec: {
      monitorEndpoint,
      statefulSetSpec: { replicas: 0, serviceName: name, selector: { matchLabels: labels }, template },
    },
  };
}

test('beside 200 sets whose monitor never answers, one of another namespace is registered within two seconds', async () => {
  const crds = [definition('monitoredstatefulsets.statefulsets.example.com.yaml')];
  const cluster = await SimulatedCluster.start({ crds, namespaces: ['hostile', 'other'], events: false });
  let registered = false;
  cluster.operator('ordinal', (environment) => {
    const client = clientOf(environment);
    const probes = probesOf(environment, client);
    const manager = managerOf(environment, client);
    const silent = (): Promise<never> =>
      new Promise((_, reject) => {
        environment.clock.after(traits.callTimeoutMs, () => reject(new ExternalError('TimedOut', 'nothing came')));
      });
    const silence = { get: silent, findByOwner: silent, create: silent, update: silent, delete: silent };
    const prompt: Pick<MonitorSystem, 'get' | 'findByOwner' | 'create' | 'update' | 'delete'> = {
      get: () => Promise.resolve(undefined),
      findByOwner: () => Promise.resolve([]),
      create: ({ token, owner }) => {
        registered = true;
        return Promise.resolve({ id: 'm-1', token, owner, state: 'ready' });
      },
      update: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    };
    const at = (endpoint: string): MonitorSystem => ({ traits, ...(endpoint.includes('silent') ? silence : prompt) });
    for (const controller of monitoredStatefulSetControllers({ monitors: { at }, seals, probes }))
      manager.add(controller);
    return start(manager);
  });
  const sets = cluster.client()(monitoredStatefulSets);
  for (let n = 0; n < 200; n += 1)
    await sets.namespace('hostile').create(setAt('hostile', `s-${n}`, 'http://silent.example'));
  await cluster.advance(60_000);
  await sets.namespace('other').create(setAt('other', 'app', 'http://prompt.example'));
  expect(await cluster.run({ until: () => registered, maxVirtualMs: 2_000 })).toBe('reached');
  cluster.stop();
});
