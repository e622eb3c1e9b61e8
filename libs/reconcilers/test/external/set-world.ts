import { monitoredStatefulSets } from '@ordinal/api';
import type { MonitoredStatefulSet, MonitoredStatefulSetInput } from '@ordinal/api';
import { createClient } from '@ordinal/client';
import { createManager } from '@ordinal/runtime';
import { SimulatedCluster } from '@ordinal/testing';
import type { Operator, OperatorStart } from '@ordinal/testing';
import { monitoredStatefulSetControllers } from '../../src/monitored-stateful-set/index.ts';
import type { MonitorRequest, MonitorView } from '../../src/monitored-stateful-set/index.ts';
import { definition } from './definition.ts';
import { Keeper } from './keeper.ts';
import type { KeeperTemper } from './keeper.ts';
import { keeperSystem } from './keeper-system.ts';

const crd = definition('monitoredstatefulsets.statefulsets.example.com.yaml');

/** The two monitors of the simulation. */
export const endpoints = ['http://monitor-a.example', 'http://monitor-b.example'] as const;

/** A cluster with an operator that runs the controllers of MonitoredStatefulSet, and two monitors. */
export interface SetWorld {
  readonly cluster: SimulatedCluster;
  readonly keepers: readonly [Keeper, Keeper];
  readonly operator: Operator;
}

const setOperator =
  (temper: KeeperTemper): OperatorStart =>
  async ({ transport, clock, random, http, identity }) => {
    const client = createClient({ transport, clock, random });
    const traits = {
      repeatedCreate: temper.tokens ? 'returnsFirst' : 'makesAnother',
      settleMs: 10_000,
      callTimeoutMs: 5_000,
    } as const;
    const manager = createManager({
      client,
      clock,
      random,
      name: 'test/operator',
      identity,
      events: { publish: () => undefined },
    });
    const monitors = {
      at: (endpoint: string) => keeperSystem<MonitorRequest, MonitorView>(endpoint, { http, clock, traits }),
    };
    for (const controller of monitoredStatefulSetControllers({ monitors })) manager.add(controller);
    void manager.start();
    return Promise.resolve({ stop: () => manager.stop() });
  };

/** Builds the world. Nothing moves before the cluster runs. Images `app:1` and `app:2` start in 3 s; `cleanup:1` takes 5 s, and `broken:1` fails. */
export async function setWorld(seed: number, temper: KeeperTemper): Promise<SetWorld> {
  const cluster = await SimulatedCluster.start({ crds: [crd], seed, nodes: 1, events: false, namespaces: ['team'] });
  cluster.image('app:1', { startsIn: 3_000 });
  cluster.image('app:2', { startsIn: 3_000 });
  const keepers = [new Keeper(cluster.clock, temper), new Keeper(cluster.clock, temper)] as const;
  endpoints.forEach((origin, index) => cluster.external(origin, keepers[index === 0 ? 0 : 1].handle));
  return { cluster, keepers, operator: cluster.operator('ordinal', setOperator(temper)) };
}

/** A MonitoredStatefulSet to create. */
export function monitoredSet(
  name: string,
  spec: Partial<MonitoredStatefulSetInput['spec']> = {},
): MonitoredStatefulSetInput {
  return {
    apiVersion: 'statefulsets.example.com/v1alpha1',
    kind: 'MonitoredStatefulSet',
    metadata: { name, namespace: 'team' },
    spec: {
      monitorEndpoint: endpoints[0],
      statefulSetSpec: {
        replicas: 2,
        serviceName: name,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      },
      ...spec,
    },
  };
}

/** The MonitoredStatefulSet as it is now. */
export function setNow(cluster: SimulatedCluster, name: string): MonitoredStatefulSet | undefined {
  return cluster.objects.find(monitoredStatefulSets, 'team', name);
}
