import type { TestCluster } from '@ordinal/simulator';
import { readFileSync } from 'node:fs';
import { kvStoreClusters } from '@ordinal/api';
import type { KVStoreCluster, KVStoreClusterInput } from '@ordinal/api';
import { pods, storageClasses } from '@ordinal/client';
import { kvStoreVolume } from '@ordinal/constructs';
import type { ControllerDefinition, EventRecord } from '@ordinal/runtime';
import { SimulatedCluster } from '@ordinal/simulator';
import type { ContainerProcess, Operator, OperatorStart } from '@ordinal/simulator';
import { parse } from 'yaml';
import { noCleanupMetrics } from '@ordinal/lifecycle';
import { kvStoreClusterController } from '../../src/kv-store-cluster/index.ts';
import type { OperatorParts } from '../operator/parts.ts';
import { clientOf, managerOf, probesOf, seals, start } from '../operator/parts.ts';
import { isBystander } from '../world/bystander.ts';
import { beforePodTemplates } from '../world/older-version.ts';

const crd: object = parse(
  readFileSync(new URL('../../../api/crds/kvstoreclusters.kvstore.example.com.yaml', import.meta.url), 'utf8'),
) as object;

/** A cluster with an operator that runs the controller of KVStoreCluster. */
export interface KVStoreWorld {
  readonly cluster: SimulatedCluster;
  readonly operator: Operator;
  /** What the operator has published, in order, with the virtual time. */
  readonly events: readonly (EventRecord & { readonly at: number })[];
  /** The failures of clean-ups that were counted, by their codes, in order. */
  readonly failures: readonly string[];
}

/** How an operator is run: which version, and what becomes of what it publishes and counts. */
interface OperatorOptions {
  readonly version?: (present: ControllerDefinition) => ControllerDefinition;
  readonly publish?: (event: EventRecord) => void;
  readonly failed?: (code: string) => void;
  /** Starts what runs beside the controller. */
  readonly attend?: (parts: OperatorParts) => void;
}

const silent = (): void => undefined;

/** What the operator runs: the real manager and controller, over the simulation. */
export const operatorOf =
  ({
    version = (present) => present,
    publish = silent,
    failed = silent,
    attend,
  }: OperatorOptions = {}): OperatorStart =>
  async (environment) => {
    const client = clientOf(environment);
    const probes = probesOf(environment, client);
    const manager = managerOf(environment, client, { events: { publish } });
    const metrics = { ...noCleanupMetrics, failed: (_kind: string, code: string) => failed(code) };
    manager.add(version(kvStoreClusterController({ probes, seals, metrics })));
    attend?.({ manager, client, probes, environment });
    return start(manager);
  };

/** What the operator runs: the real manager and controller, over the simulation. */
export const kvStoreOperator = operatorOf();

/** The operator before `spec.podTemplate` was there. */
export const olderKVStoreOperator = operatorOf({ version: beforePodTemplates });

/** The cluster that the scenarios happen in. */
export const kvStoreCluster = { crds: [crd], events: false, endpoints: false } as const;

/** Whether a member of the cluster serves, so that a Job can read its data from it. */
function someMemberServes(cluster: TestCluster, { namespace, env }: ContainerProcess): boolean {
  return cluster.objects
    .list(pods, namespace)
    .some(
      (pod) =>
        pod.metadata.labels?.['app'] === env['ORDINAL_CLUSTER'] &&
        !isBystander(pod) &&
        pod.metadata.deletionTimestamp === undefined &&
        pod.status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
    );
}

/** A backup reads from members that serve or, where none does, from their volumes, all of which it has to have then. */
function canBackUp(cluster: TestCluster, process: ContainerProcess): boolean {
  if (someMemberServes(cluster, process)) return true;
  const ordinals = [...Array(Number(process.env['ORDINAL_REPLICAS'])).keys()];
  return ordinals.every((ordinal) => process.volume(`claim-${ordinal}`).has(data));
}

/** The file that a member keeps its data in. */
const data = 'data';

/** The command of the tasks that fail in a world, for as long as it stands here. */
export const failing = new WeakMap<TestCluster, string>();

/** The member of a world that is not ready, whatever it runs. */
export const ailing = new WeakMap<TestCluster, string>();

/** What the images of the versions do, and the class of the volumes. */
export async function installImages(cluster: TestCluster): Promise<void> {
  for (const version of ['1.0', '2.0', '3.0']) {
    cluster.image(`my-repo/kvstore:${version}`, {
      startsIn: 2_000,
      ready: ({ pod }) => ailing.get(cluster) !== pod,
      run: (process) => {
        const task = process.env['ORDINAL_PURPOSE'];
        if (task === undefined) {
          process.volume(kvStoreVolume).set(data, process.pod);
          return new Promise<number>(() => undefined);
        }
        if (process.command.includes('linger')) return new Promise<number>(() => undefined);
        if (process.command.includes(failing.get(cluster) ?? 'fail')) return 1;
        if (task.endsWith('Backup') && !canBackUp(cluster, process)) {
          process.log('no member serves, and not all volumes are mounted');
          return 1;
        }
        process.log(`made ${process.env['ORDINAL_BACKUP_NAME'] ?? task}`);
        return 0;
      },
    });
  }
  // As a task it fails as well.
  const broken = ({ env }: ContainerProcess): number | Promise<number> =>
    env['ORDINAL_PURPOSE'] === undefined ? new Promise<number>(() => undefined) : 1;
  cluster.image('my-repo/kvstore:broken', { startsIn: 1_000, ready: false, run: broken });
  cluster.image('my-repo/kvstore:missing', { pull: 'fail' });
  cluster.image('my-repo/kvstore:bad', { http: ({ url }) => (url.pathname === '/good' ? 500 : 200) });
  await cluster
    .client()(storageClasses)
    .cluster()
    .create({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      provisioner: 'simulated.example/disk',
      allowVolumeExpansion: true,
    });
}

/** Builds the world. Nothing moves before the cluster runs. */
export async function kvStoreWorld(seed = 1): Promise<KVStoreWorld> {
  const cluster = await SimulatedCluster.start({ ...kvStoreCluster, seed });
  await installImages(cluster);
  const events: (EventRecord & { readonly at: number })[] = [];
  const failures: string[] = [];
  const start = operatorOf({
    publish: (event) => events.push({ ...event, at: cluster.clock.now() }),
    failed: (code) => failures.push(code),
  });
  return { cluster, operator: cluster.operator('ordinal', start), events, failures };
}

/** A KVStoreCluster to create. */
export function store(spec: Partial<KVStoreClusterInput['spec']> = {}): KVStoreClusterInput {
  return {
    apiVersion: 'kvstore.example.com/v1',
    kind: 'KVStoreCluster',
    metadata: { name: 'orders', namespace: 'default' },
    spec: { version: '1.0', replicas: 3, storage: { className: 'fast', size: '10Gi' }, ...spec },
  };
}

/** The KVStoreCluster as it is now. */
export function storeNow(cluster: TestCluster): KVStoreCluster | undefined {
  return cluster.objects.list(kvStoreClusters).find(({ metadata }) => metadata.name === 'orders');
}

/** The image of each member, by ordinal. */
export function images(cluster: TestCluster): readonly (string | undefined)[] {
  return cluster.objects
    .list(pods)
    .filter((pod) => pod.metadata.labels?.['app'] === 'orders' && !isBystander(pod))
    .sort((a, b) => a.metadata.name.localeCompare(b.metadata.name))
    .map((pod) => pod.spec?.containers[0]?.image?.replace('my-repo/kvstore:', ''));
}

/** Runs until the cluster's phase is this one, ten virtual hours at most; returns the phase that it has then. */
export async function untilPhase(cluster: TestCluster, phase: string): Promise<string | undefined> {
  await cluster.run({ until: () => storeNow(cluster)?.status?.phase === phase, maxVirtualMs: 36_000_000 });
  return storeNow(cluster)?.status?.phase;
}
