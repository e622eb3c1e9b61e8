import { check, until } from '../kubernetes.ts';
import { backupClaim, checksums, members, redisStore as store } from '../redis-store.ts';
import { inNamespace, untilReady, type World } from '../world.ts';
import { restoreDrills } from './restore-drills.ts';

const kind = 'kvstorecluster';

/** KVStoreCluster on real volumes: a canary that fails, one that passes, restore drills, a deletion with its final backup, and a restore. */
export async function kvStoreClusterScenario(world: World): Promise<void> {
  await world.report.scenario('KVStoreCluster: Redis with append-only files on volumes', () =>
    inNamespace(world, 'e2e-store', (namespace) => wholeLife(world, namespace)),
  );
}

async function wholeLife(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  const at = (name: string) => ({ kind, name, namespace });
  await report.step('three members with volumes come up on Redis 7.0 and are filled', async () => {
    await kubernetes.apply(backupClaim(namespace), store(namespace, 'orders', { version: '7' }));
    await untilReady(world, at('orders'), 120);
    for (const member of members)
      await kubernetes.exec(
        namespace,
        `orders-${member}`,
        `for i in $(seq 5000); do echo "set part$i ${member}-$i-$RANDOM"; done | redis-cli > /tmp/filled; grep -c OK /tmp/filled; redis-cli set verdict bad`,
      );
  });
  const before = await report.step('checksums are taken in the pods', () => checksums(world, namespace, 'orders'));
  await report.step('a canary on Redis 8.0 whose analysis fails is rolled back', async () => {
    await kubernetes.apply(store(namespace, 'orders', { version: '8' }));
    await until('the upgrade has failed and every member is back', 180, async () => {
      const { status } = await kubernetes.get(kind, 'orders', namespace);
      const images = await imagesOf(world, namespace, 'orders');
      if (status?.failure && status.readyReplicas === 3 && images.every((image) => image.endsWith(':7'))) return true;
      throw new Error(`${images.join(' ')} ${JSON.stringify(status?.upgrade)} ${JSON.stringify(status?.failure)}`);
    });
    check((await checksums(world, namespace, 'orders')) === before, 'the data has changed');
  });
  await report.step('the same canary passes and is promoted to all members', async () => {
    await kubernetes.exec(namespace, 'orders-0', 'redis-cli set verdict good');
    await kubernetes.apply(store(namespace, 'orders', { version: '7' }));
    await untilReady(world, at('orders'), 60);
    await kubernetes.apply(store(namespace, 'orders', { version: '8' }));
    await until('every member runs Redis 8.0', 240, async () => {
      const { status } = await kubernetes.get(kind, 'orders', namespace);
      if (status?.currentVersion === '8' && status.readyReplicas === 3) return true;
      throw new Error(JSON.stringify({ ...status, conditions: undefined }));
    });
    await untilReady(world, at('orders'), 60);
  });
  const promoted = await report.step('checksums are taken again', () => checksums(world, namespace, 'orders'));
  await restoreDrills(world, { name: 'orders', namespace });
  const location = await report.step('deleted after a final backup, its volumes with it', async () => {
    await kubernetes.kubectl(['delete', kind, 'orders', '-n', namespace, '--wait=false']);
    await until('the cluster is gone', 180, async () => {
      const left = await kubernetes.find(kind, 'orders', namespace);
      if (!left) return true;
      throw new Error(JSON.stringify({ hooks: left.status?.hooks, processingError: left.status?.processingError }));
    });
    const claims = (await kubernetes.list('pvc', namespace)).map(({ metadata }) => metadata.name);
    check(claims.join() === 'backups', `these claims are left: ${claims.join(', ')}`);
    const jobs = await kubernetes.list('jobs', namespace, 'ordinal.dev/purpose=FinalBackup');
    check(jobs.length === 1, `${jobs.length} Jobs of a final backup`);
    return lastLineOf(await kubernetes.kubectl(['logs', '-n', namespace, `job/${jobs[0]?.metadata.name ?? ''}`]));
  });
  await report.step('a new cluster is restored from it, with the same checksums', async () => {
    await kubernetes.apply(store(namespace, 'copies', { version: '8', restoreFrom: location }));
    await untilReady(world, at('copies'), 180);
    const restored = await checksums(world, namespace, 'copies');
    check(restored === promoted, `${restored} and not ${promoted}`);
    return restored;
  });
  await report.step('its namespace is not deleted while its final backup is due', async () => {
    const refusal = await kubernetes.kubectl(['delete', 'namespace', namespace, '--wait=false']).then(() => '', String);
    check(refusal.includes(`kubectl delete kvs -n ${namespace} copies`), `it was not refused: ${refusal}`);
  });
}

async function imagesOf({ kubernetes }: World, namespace: string, name: string): Promise<readonly string[]> {
  const pods = await kubernetes.list(
    'pods',
    namespace,
    `app.kubernetes.io/name=kv-store-cluster,app.kubernetes.io/instance=${name}`,
  );
  return pods.map((pod) => pod.spec?.containers?.[0]?.image as string);
}

function lastLineOf(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
