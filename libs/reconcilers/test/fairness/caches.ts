import type { ClusteredCacheInput } from '@ordinal/api';
import { clusteredCaches } from '@ordinal/api';
import { pods, statefulSets } from '@ordinal/client';
import { SimulatedCluster } from '@ordinal/simulator';
import { clusteredCacheController } from '../../src/clustered-cache/index.ts';
import { cacheCluster, isReady } from '../clustered-cache/cache-world.ts';
import { clientOf, managerOf, probesOf, seals, start } from '../operator/parts.ts';

/** How many hostile caches there are, and where. */
export interface Hostility {
  readonly caches: number;
  /** Over so many namespaces. */
  readonly namespaces: number;
  /** What their gates ask for. */
  readonly timeout: string;
}

/** What a user in another namespace waits for, in virtual milliseconds; `undefined` where it did not happen within `patienceMs`. */
export interface Service {
  /** From the creation of a cache until its StatefulSet is there. */
  readonly createdMs: number | undefined;
  /** From the change of its image until all members run the new one and are ready. */
  readonly upgradedMs: number | undefined;
}

/** How many resources of a kind the operator works on at a time, as it does by default. */
const concurrency = 10;
const victim = { namespace: 'other', name: 'sessions' } as const;
const hour = 3_600_000;

const cacheOf = (
  place: { namespace: string; name: string },
  spec: ClusteredCacheInput['spec'],
): ClusteredCacheInput => ({
  apiVersion: 'cache.my.domain/v1',
  kind: 'ClusteredCache',
  metadata: place,
  spec,
});

/** Runs hostile caches, each in an upgrade whose gate never answers, and then a cache of another namespace beside them. */
export async function serviceBeside(
  { caches, namespaces, timeout }: Hostility,
  patienceMs = 8 * hour,
): Promise<Service> {
  const hostile = Array.from({ length: caches }, (_, index) => ({
    namespace: `hostile-${index % namespaces}`,
    name: `cache-${index}`,
  }));
  const cluster = await SimulatedCluster.start({
    ...cacheCluster,
    namespaces: [victim.namespace, ...new Set(hostile.map(({ namespace }) => namespace))],
  });
  for (const version of ['1', '2']) {
    cluster.image(`cache:${version}`, { startsIn: 2000, http: () => 200 });
    cluster.image(`silent:${version}`, { startsIn: 500, http: () => new Promise(() => undefined) });
  }
  cluster.operator('ordinal', (environment) => {
    const client = clientOf(environment);
    const manager = managerOf(environment, client);
    const probes = probesOf(environment, client);
    return start(manager.add(clusteredCacheController({ probes, seals, controller: { concurrency } })));
  });
  const client = cluster.client()(clusteredCaches);
  const until = async (condition: () => boolean): Promise<number | undefined> => {
    const began = cluster.clock.now();
    const outcome = await cluster.run({ until: condition, maxVirtualMs: patienceMs });
    return outcome === 'reached' ? cluster.clock.now() - began : undefined;
  };
  const gates = [{ name: 'silent', target: 'Self', http: { path: '/gate', port: 80 }, timeout }] as const;
  for (const place of hostile) {
    const made = cacheOf(place, { replicas: 1, image: 'silent:1', upgrade: { gates } });
    await client.namespace(place.namespace).create(made);
  }
  await until(() => cluster.objects.list(pods).filter(isReady).length === hostile.length);
  for (const { namespace, name } of hostile)
    await client.namespace(namespace).patch(name, { type: 'merge', body: { spec: { image: 'silent:2' } } });
  await cluster.advance(90_000);

  const its = client.namespace(victim.namespace);
  await its.create(cacheOf(victim, { replicas: 3, image: 'cache:1', port: 6379 }));
  const createdMs = await until(() => cluster.objects.find(statefulSets, victim.namespace, victim.name) !== undefined);
  const runs = (image: string) => (): boolean => {
    const members = cluster.objects.list(pods, victim.namespace);
    return members.length === 3 && members.every((pod) => isReady(pod) && pod.spec.containers[0]?.image === image);
  };
  await until(runs('cache:1'));
  await its.patch(victim.name, { type: 'merge', body: { spec: { image: 'cache:2' } } });
  const upgradedMs = await until(runs('cache:2'));
  cluster.stop();
  return { createdMs, upgradedMs };
}
