import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled, uninstall, untilOperatorReady } from '../install.ts';
import { check, until } from '../kubernetes.ts';
import { podsOf, plainCache } from '../plain-cache.ts';
import { whileWebhooksAnswer } from '../webhooks.ts';
import { definitions, inNamespace, operatorNamespace, untilReady, type World } from '../world.ts';

const dist = join(import.meta.dirname, '..', '..', '..', 'dist');
const base = join(dist, 'kustomize', 'base');
const kind = 'clusteredcache';
const name = 'shop';
const release = 'ordinal';

/** The operator by Helm, and after it by kustomize, beside a cache that runs all along. */
export async function channelsScenario(world: World): Promise<void> {
  await world.report.scenario('Installed by Helm, and by kustomize', () =>
    inNamespace(world, 'e2e-channels', (namespace) => throughChannels(world, namespace)),
  );
}

async function throughChannels(world: World, namespace: string): Promise<void> {
  const { report } = world;
  if (await isInstalled(world)) await report.step('uninstalled as it is written down', () => uninstall(world));
  const before = await installed(world, namespace);
  await upgradedAndBack(world);
  await report.step('helm uninstall leaves the definitions, and a cache that runs', async () => {
    await helm(world, ['uninstall', release]);
    await until('the operator is gone', 60, async () => !(await isInstalled(world)));
    check((await definitions(world)).length === 4, 'definitions are gone');
    await checkMembersRemain(world, namespace, before);
  });
  await byKustomize(world, { namespace, before });
}

/** Installs the chart, and makes a cache. Returns the UIDs of its pods. */
async function installed(world: World, namespace: string): Promise<readonly string[]> {
  const { kubernetes, report } = world;
  await report.step('helm upgrade --install, and the operator is ready', async () => {
    await helm(world, ['upgrade', '--install', release, chart(), '--create-namespace']);
    return untilOperatorReady(kubernetes);
  });
  return report.step('it keeps a cache', async () => {
    await kubernetes.apply(plainCache(namespace, name));
    await untilReady(world, { kind, name, namespace }, 90);
    return podsOf(world, namespace, name);
  });
}

async function upgradedAndBack(world: World): Promise<void> {
  const { kubernetes, report, nextImage, image } = world;
  await report.step('helm upgrade to another image and three replicas, and the webhooks answer all along', async () => {
    const { answers } = await whileWebhooksAnswer(kubernetes, async () => {
      await helm(world, ['upgrade', release, chart(), '--set', `replicas=3,image=${nextImage}`]);
      await untilOperatorReady(kubernetes);
    });
    await checkDeployment(world, { replicas: 3, image: nextImage });
    return `${answers} questions, all answered`;
  });
  await report.step('helm rollback', async () => {
    const { answers } = await whileWebhooksAnswer(kubernetes, async () => {
      await helm(world, ['rollback', release, '1']);
      await untilOperatorReady(kubernetes);
    });
    await checkDeployment(world, { replicas: 2, image });
    return `${answers} questions, all answered`;
  });
}

async function byKustomize(
  world: World,
  { namespace, before }: { readonly namespace: string; readonly before: readonly string[] },
): Promise<void> {
  const { kubernetes, report } = world;
  await report.step('kubectl apply --server-side -k dist/kustomize/base takes up the definitions', async () => {
    await kubernetes.kubectl(['apply', '--server-side', '-k', base]);
    return untilOperatorReady(kubernetes);
  });
  await report.step('the cache goes on where it was, and no member was restarted', async () => {
    await checkMembersRemain(world, namespace, before);
    await kubernetes.kubectl(['patch', kind, name, '-n', namespace, '--type=merge', '-p', '{"spec":{"replicas":3}}']);
    await untilReady(world, { kind, name, namespace }, 90);
    await checkMembersRemain(world, namespace, before);
  });
  await report.step('the same base again changes nothing', async () => {
    const generation = await generationOf(world);
    await kubernetes.kubectl(['apply', '--server-side', '-k', base]);
    check((await generationOf(world)) === generation, 'the Deployment was rolled out again');
  });
  await report.step('uninstalled, nothing is left', () => uninstall(world, ['-k', base]));
}

/** Throws where a member that was there before does not run any more. */
async function checkMembersRemain(world: World, namespace: string, before: readonly string[]): Promise<void> {
  const present = await podsOf(world, namespace, name);
  check(
    before.every((uid) => present.includes(uid)),
    `members were replaced: ${before.join(', ')} before, ${present.join(', ')} now`,
  );
}

async function generationOf({ kubernetes }: World): Promise<unknown> {
  const { metadata } = await kubernetes.get('deployment', 'ordinal-operator', operatorNamespace);
  return (metadata as { readonly generation?: number }).generation;
}

async function checkDeployment(
  { kubernetes }: World,
  wanted: { readonly replicas: number; readonly image: string },
): Promise<void> {
  const { spec } = await kubernetes.get('deployment', 'ordinal-operator', operatorNamespace);
  const found = { replicas: spec?.replicas as number, image: spec?.template.spec.containers[0].image as string };
  check(JSON.stringify(found) === JSON.stringify(wanted), JSON.stringify(found));
}

/** The chart that `npm run synth` has made. */
function chart(): string {
  const found = readdirSync(dist).find((file) => /^ordinal-operator-.*\.tgz$/.test(file));
  check(found !== undefined, `there is no chart in ${dist}: npm run synth makes it`);
  return join(dist, found);
}

function helm({ cluster, kubernetes }: World, parameters: readonly string[]): Promise<string> {
  return cluster.run('helm', ...parameters, '--namespace', operatorNamespace, '--kubeconfig', kubernetes.kubeconfig);
}
