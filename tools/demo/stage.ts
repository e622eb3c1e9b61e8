import { clusteredCaches, cloudDatabases, kvStoreClusters, monitoredStatefulSets } from '@ordinal/api';
import { clientsOf } from '@ordinal/api/clients';
import type { OrdinalClients } from '@ordinal/api/clients';
import type { Client } from '@ordinal/client';
import { createClient, httpTransport, persistentVolumeClaims, pods, secrets } from '@ordinal/client';
import { kubeconfigServer } from '@ordinal/client/kubeconfig';
import { startCloudServer } from '../../examples/cloud-api/cloud-server.ts';
import type { CloudServer } from '../../examples/cloud-api/cloud-server.ts';
import { startMonitorServer } from '../../examples/cloud-api/monitor-server.ts';
import type { MonitorServer } from '../../examples/cloud-api/monitor-server.ts';
import type { Assertions } from './assertions.ts';
import type { OperatorProcess } from './operator.ts';
import type { Surroundings } from './samples.ts';
import type { Screen } from './screen.ts';
import { Watcher } from './watcher.ts';

/** Everything that a cluster must bring along for the demo. */
export interface DemoCluster {
  /** Of the demo's own user. */
  readonly kubeconfig: string;
  /** Of the operator. */
  readonly operatorKubeconfig: string;
  readonly surroundings: Omit<Surroundings, 'monitorEndpoint' | 'cloudEndpoint' | 'cloudToken'>;
  /** Whether the members of the cache agree to the going of another. */
  setGate(state: 'open' | 'closed'): Promise<void>;
  /** What the demo plays on, in a sentence. */
  readonly title: string;
  /** Ends the cluster, or takes off it what the demo has put there. */
  close(): Promise<void>;
}

/** Two monitoring services and a cloud, on this machine. */
export interface Outside {
  readonly monitors: readonly [first: MonitorServer, second: MonitorServer];
  readonly cloud: CloudServer;
  close(): Promise<void>;
}

/** What a scene plays with. */
export interface Stage {
  readonly screen: Screen;
  readonly assertions: Assertions;
  readonly cluster: DemoCluster;
  readonly outside: Outside;
  readonly surroundings: Surroundings;
  readonly operator: OperatorProcess;
  readonly client: Client;
  readonly resources: OrdinalClients;
  readonly watcher: Watcher;
}

const cloudToken = 'demo-token';

/** Starts the services outside of the cluster. */
export async function startOutside(): Promise<Outside> {
  const [first, second] = [await startMonitorServer(), await startMonitorServer()];
  const cloud = await startCloudServer({ token: cloudToken, createMs: 1_500, deleteMs: 1_000 });
  return {
    monitors: [first, second],
    cloud,
    close: async () => void (await Promise.all([first.close(), second.close(), cloud.close()])),
  };
}

/** Where things are, for the samples. */
export function surroundingsOf({ surroundings }: DemoCluster, { monitors, cloud }: Outside): Surroundings {
  return { ...surroundings, monitorEndpoint: monitors[0].url, cloudEndpoint: cloud.url, cloudToken };
}

/** The clients of the demo's own user, and what they see. */
export async function connectTo({
  kubeconfig,
  surroundings,
}: DemoCluster): Promise<Pick<Stage, 'client' | 'resources' | 'watcher'>> {
  const transport = httpTransport(await kubeconfigServer({ files: [kubeconfig] }));
  const client = createClient({ transport, userAgent: 'ordinal-demo', fieldManager: 'ordinal-demo' });
  const watcher = new Watcher(client, surroundings.namespace);
  for (const kind of [pods, secrets, persistentVolumeClaims]) watcher.watch(kind);
  for (const kind of [clusteredCaches, kvStoreClusters, monitoredStatefulSets, cloudDatabases]) watcher.watch(kind);
  return { client, resources: clientsOf(client), watcher };
}
