import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { manifest, uninstall, untilOperatorReady } from '../install.ts';
import { check, run, until } from '../kubernetes.ts';
import { loadPodOf } from '../load-pod.ts';
import { plainCache } from '../plain-cache.ts';
import { askLoad, lineOf, redisCache, redisImages } from '../redis.ts';
import { refusalOf } from '../webhooks.ts';
import { definitions, inNamespace, operatorNamespace, untilReady, type World } from '../world.ts';
import { operatorUpgradeScenario } from './operator-upgrade.ts';

const kind = 'clusteredcache';
const root = join(import.meta.dirname, '..', '..', '..');

/** What a cluster's people do with a node and the operator: drain, upgrade, install again, uninstall. */
export async function lifecycleScenarios(world: World): Promise<void> {
  const { report } = world;
  await report.scenario('A node is drained under load', () =>
    inNamespace(world, 'e2e-drain', (namespace) => drainedNode(world, namespace)),
  );
  await operatorUpgradeScenario(world);
  await report.scenario('Installed again, and uninstalled', () =>
    inNamespace(world, 'e2e-uninstall', (namespace) => uninstalled(world, namespace)),
  );
  // Where no operator is left: the demo brings its own.
  await report.scenario('The demo on this cluster', () => demoOnCluster(world));
}

async function demoOnCluster({ kubernetes, report, image, nextImage }: World): Promise<void> {
  await report.step('npm run demo -- --cluster', async () => {
    const parameters = ['run', '-s', 'demo', '--', '--cluster', `--images=${image},${nextImage}`];
    const output = await run('npm', parameters, {
      cwd: root,
      env: { ...process.env, KUBECONFIG: kubernetes.kubeconfig },
    });
    return /^\d+ passed, 0 failed$/m.exec(output)?.[0] ?? '';
  });
  await report.step('it leaves nothing behind', async () => {
    check((await definitions({ kubernetes })).length === 0, 'definitions are left');
    check((await kubernetes.find('namespace', 'ordinal-demo')) === undefined, 'the namespace is left');
  });
}

async function drainedNode(world: World, namespace: string): Promise<void> {
  const { kubernetes, report, image } = world;
  const drain = [
    'drain',
    'node-1',
    `--pod-selector=app.kubernetes.io/instance=shop`,
    '--delete-emptydir-data',
    '--timeout=180s',
  ];
  await report.step('three members of Redis and the load', async () => {
    await kubernetes.apply(...redisCache(namespace, 'shop', { image: redisImages.after }));
    await untilReady(world, { kind, name: 'shop', namespace }, 90);
    await kubernetes.apply(...loadPodOf(namespace, { program: 'load.ts', name: 'shop', image }));
    await until(
      'the load writes',
      60,
      async () => (await askLoad(kubernetes, namespace, '/counts')).acknowledged > 500,
    );
  });
  const before = await uidsOf(world, namespace);
  let output = '';
  const draining = kubernetes.kubectl(drain).then(
    (text) => (output += text),
    (error: unknown) => (output += String(error)),
  );
  try {
    await report.step('one member is evicted, and the others visibly wait for it', async () => {
      await until('one member is gone', 60, async () => (await staying(world, namespace, before)) === 2);
      await sleep(4_000);
      check((await staying(world, namespace, before)) === 2, 'another one went although the first is not back');
    });
  } finally {
    await kubernetes.kubectl(['uncordon', 'node-1']);
  }
  await report.step('uncordoned, the drain comes to its end, one after the other', async () => {
    await until('all three have been evicted and are back', 180, async () => {
      const pods = await uidsOf(world, namespace);
      return pods.size === 3 && (await staying(world, namespace, before)) === 0;
    });
    await draining;
    check(output.includes('drained'), output);
    await untilReady(world, { kind, name: 'shop', namespace }, 60);
    const counts = await askLoad(kubernetes, namespace, '/finish');
    check(counts.lost === 0, lineOf(counts));
    return lineOf(counts);
  });
}

async function uidsOf({ kubernetes }: World, namespace: string): Promise<ReadonlySet<string>> {
  const pods = await kubernetes.list('pods', namespace, 'app.kubernetes.io/instance=shop');
  return new Set(pods.map(({ metadata }) => metadata.uid ?? ''));
}

async function staying(world: World, namespace: string, before: ReadonlySet<string>): Promise<number> {
  const now = await uidsOf(world, namespace);
  return [...before].filter((uid) => now.has(uid)).length;
}

async function uninstalled(world: World, namespace: string): Promise<void> {
  const { kubernetes, report } = world;
  await report.step('the same manifest again changes nothing', async () => {
    const revision = async (): Promise<unknown> =>
      (await kubernetes.get('deployment', 'ordinal-operator', operatorNamespace)).metadata;
    const before = JSON.stringify((await revision()) as object, ['generation']);
    await kubernetes.kubectl(['apply', '--server-side', '-f', manifest]);
    check(
      JSON.stringify((await revision()) as object, ['generation']) === before,
      'the Deployment was rolled out anew',
    );
    await untilOperatorReady(kubernetes);
  });
  await report.step(
    'uninstalled while a cache exists: refused for the definitions, harmless for the cache',
    async () => {
      await kubernetes.apply(plainCache(namespace, 'shop'));
      await untilReady(world, { kind, name: 'shop', namespace }, 90);
      const message = await refusalOf(() => kubernetes.kubectl(['delete', '-f', manifest, '--timeout=90s']));
      check(message.includes('allow-deletion'), message);
      const cache = await kubernetes.get(kind, 'shop', namespace);
      check(cache.metadata.deletionTimestamp === undefined, 'the cache is being deleted');
      await until(
        'the operator’s namespace is gone',
        90,
        async () => (await kubernetes.find('namespace', operatorNamespace)) === undefined,
      );
      const pods = await kubernetes.list('pods', namespace);
      check(pods.filter(({ status }) => status?.phase === 'Running').length === 2, 'the members do not run any more');
    },
  );
  await report.step('installed again, it goes on where it was', async () => {
    await kubernetes.kubectl(['apply', '--server-side', '-f', manifest]);
    await untilOperatorReady(kubernetes);
    await kubernetes.kubectl(['patch', kind, 'shop', '-n', namespace, '--type=merge', '-p', '{"spec":{"replicas":3}}']);
    await untilReady(world, { kind, name: 'shop', namespace }, 90);
  });
  await report.step('uninstalled as it is written down, nothing is left', () => uninstall(world));
}
