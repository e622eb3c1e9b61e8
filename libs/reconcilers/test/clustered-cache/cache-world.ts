import type { TestCluster } from '@ordinal/simulator';
import { readFileSync } from 'node:fs';
import type { ClusteredCache, ClusteredCacheInput } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import type { Condition, Pod } from '@ordinal/client';
import { pods, statefulSets } from '@ordinal/client';
import { templateHashAnnotation } from '@ordinal/constructs';
import type { ControllerDefinition, EventRecord } from '@ordinal/runtime';
import { SimulatedCluster } from '@ordinal/simulator';
import type { ImageProgram, Operator, OperatorStart } from '@ordinal/simulator';
import { clusteredCacheController } from '../../src/clustered-cache/index.ts';
import type { OperatorParts } from '../operator/parts.ts';
import { clientOf, managerOf, probesOf, seals, start } from '../operator/parts.ts';
import { isBystander } from '../world/bystander.ts';
import { beforePodTemplates } from '../world/older-version.ts';

const crd = readFileSync(new URL('../../../api/crds/clusteredcaches.cache.my.domain.yaml', import.meta.url), 'utf8');

/** What the operator runs: the real manager and controller, over the simulation. Events go to `events`; `attend` starts what runs beside them. */
export function cacheOperator(
  events: (event: EventRecord) => void = () => undefined,
  version: (present: ControllerDefinition) => ControllerDefinition = (present) => present,
  attend: (parts: OperatorParts) => void = () => undefined,
): OperatorStart {
  return async (environment) => {
    const client = clientOf(environment);
    const probes = probesOf(environment, client);
    const manager = managerOf(environment, client, { events: { publish: events } });
    manager.add(version(clusteredCacheController({ probes, seals })));
    attend({ manager, client, probes, environment });
    return start(manager);
  };
}

/** The operator before `spec.podTemplate` was there. */
export const olderCacheOperator = cacheOperator(undefined, beforePodTemplates);

/** A cache server: ready after two seconds, and ready for a shutdown of its peer whenever it is up. */
const server: ImageProgram = { startsIn: 2000, http: () => 200 };

/** The images of the world: three versions that work, one that never gets ready, one that is not there. */
export function installImages(cluster: TestCluster): void {
  for (const version of ['1', '2', '3']) cluster.image(`cache:${version}`, server);
  cluster.image('cache:broken', { startsIn: 1000, ready: false });
  cluster.image('cache:missing', { pull: 'fail' });
  cluster.image('cache:stubborn', {
    startsIn: 1000,
    http: ({ url }) => (url.pathname === '/ready-for-shutdown' ? 503 : 200),
  });
}

/** A cluster with an operator that runs the controller of ClusteredCache. */
export interface CacheWorld {
  readonly cluster: SimulatedCluster;
  readonly operator: Operator;
  /** What the operator has published, in order, with the virtual time. */
  readonly events: (EventRecord & { readonly at: number })[];
}

/** The options of a simulated cluster that knows ClusteredCaches. */
export const cacheCluster = { crds: [crd], events: false, endpoints: false } as const;

/** Builds the world. Nothing moves before the cluster runs. */
export async function cacheWorld(seed = 1): Promise<CacheWorld> {
  const cluster = await SimulatedCluster.start({ ...cacheCluster, seed });
  installImages(cluster);
  const events: CacheWorld['events'] = [];
  return {
    cluster,
    events,
    operator: cluster.operator(
      'ordinal',
      cacheOperator((event) => events.push({ ...event, at: cluster.clock.now() })),
    ),
  };
}

/** A ClusteredCache to create. */
export function cache(spec: Partial<ClusteredCacheInput['spec']> = {}): ClusteredCacheInput {
  return {
    apiVersion: 'cache.my.domain/v1',
    kind: 'ClusteredCache',
    metadata: { name: 'sessions', namespace: 'default' },
    spec: { replicas: 3, image: 'cache:1', port: 6379, ...spec },
  };
}

/** The caches of the default namespace. */
export const caches = (cluster: TestCluster) => cluster.client()(clusteredCaches).namespace('default');

/** The cache as it is now. */
export function cacheNow(cluster: TestCluster): ClusteredCache | undefined {
  return cluster.objects.find(clusteredCaches, 'default', 'sessions');
}

/** Changes the spec. */
export async function change(cluster: TestCluster, spec: object): Promise<void> {
  await caches(cluster).patch('sessions', { type: 'merge', body: { spec } });
}

/** The members, by ordinal. */
export function members(cluster: TestCluster): readonly Pod[] {
  return cluster.objects
    .list(pods, 'default')
    .filter((pod) => pod.metadata.labels?.['app'] === 'sessions' && !isBystander(pod))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** The image of each member, by ordinal. */
export const images = (cluster: TestCluster) => members(cluster).map(({ spec }) => spec.containers[0]?.image);

/** Whether a pod serves. */
export const isReady = ({ status, metadata }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** A condition of the cache. */
export function condition(cluster: TestCluster, type: string): Condition | undefined {
  return cacheNow(cluster)?.status?.conditions?.find((one) => one.type === type);
}

/** `True AllMembersReady`. */
export const said = (cluster: TestCluster, type: string): string => {
  const found = condition(cluster, type);
  return `${found?.status} ${found?.reason}`;
};

/** Whether the cache is settled on what it asks for. */
export function isSettled(cluster: TestCluster): boolean {
  const now = cacheNow(cluster);
  return (
    now?.status?.observedGeneration === now?.metadata.generation &&
    said(cluster, 'Ready') === 'True AllMembersReady' &&
    members(cluster).filter(isReady).length === now?.spec.replicas
  );
}

/** The StatefulSet as it is now. */
export const setNow = (cluster: TestCluster) => cluster.objects.find(statefulSets, 'default', 'sessions');

/** Runs until it is true, two virtual hours at most. */
export async function reaches(cluster: TestCluster, condition: () => boolean): Promise<boolean> {
  return (await cluster.run({ until: condition, maxVirtualMs: 7_200_000 })) === 'reached';
}

/** Whether a member runs another template than the StatefulSet has. The image alone does not say: another version of the operator may want another template of the same one. */
export function isOutdated(cluster: TestCluster, member: Pod): boolean {
  const hash = ({ annotations }: { readonly annotations?: Readonly<Record<string, string>> } = {}) =>
    annotations?.[templateHashAnnotation];
  return hash(member.metadata) !== hash(setNow(cluster)?.spec?.template.metadata);
}
