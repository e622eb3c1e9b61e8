import { readFileSync } from 'node:fs';
import { manifest, untilOperatorReady } from '../install.ts';
import { check, until } from '../kubernetes.ts';
import { cacheOfRedis, imageOf } from '../redis-kinds.ts';
import { begin, countWrites, imagesOf, name, setSpec, untilRuns } from '../under-load.ts';
import { whileWebhooksAnswer } from '../webhooks.ts';
import { inNamespace, operatorNamespace, type World } from '../world.ts';

/** The operator replaced by another version of itself while a cache is in the middle of an upgrade, and by the former one again. */
export async function operatorUpgradeScenario(world: World): Promise<void> {
  await world.report.scenario('The operator is upgraded while it upgrades a cache', () =>
    inNamespace(world, 'e2e-versions', (namespace) => replaced(world, namespace)),
  );
}

async function replaced(world: World, namespace: string): Promise<void> {
  const { kubernetes, report, image, nextImage } = world;
  const at = { world, namespace, redis: cacheOfRedis };
  await begin(at);
  await report.step('the manifest of another version is applied when the first member has gone down', async () => {
    await setSpec(at, { tag: '8' });
    await until('a member is being replaced', 60, async () => (await imagesOf(at)).includes(imageOf('8')));
    await applyVersion(world, nextImage);
    const { status } = await kubernetes.get(at.redis.kind, name, namespace);
    check(status?.upgrade !== undefined, 'the upgrade of the cache was already over');
    return `at step ${status.upgrade.step as string}`;
  });
  await report.step('every replica is of that version', () => untilRunsVersion(world, nextImage));
  await report.step('the upgrade of the cache comes to its end', () => untilRuns(at, '8'));
  await countWrites(at);
  await report.step('the former version is applied again, and the webhooks answer all along', async () => {
    const { result: line, answers } = await whileWebhooksAnswer(kubernetes, async () => {
      await applyVersion(world, image);
      return untilRunsVersion(world, image);
    });
    return `${answers} questions, all answered; ${line}`;
  });
}

/** The manifest differs between versions in what `npm run synth` of each wrote; here, in the image alone. */
async function applyVersion({ kubernetes, image }: World, wanted: string): Promise<void> {
  const text = readFileSync(manifest, 'utf8').replaceAll(`image: ${image}\n`, `image: ${wanted}\n`);
  check(text.includes(`image: ${wanted}\n`), `the manifest does not name ${image}`);
  await kubernetes.kubectl(['apply', '--server-side', '-f', '-'], text);
}

async function untilRunsVersion({ kubernetes }: World, wanted: string): Promise<string> {
  const line = await untilOperatorReady(kubernetes);
  const version = wanted.split(':')[1] ?? '';
  await until(`every replica says that it is ${version}`, 60, async () => {
    const pods = await kubernetes.list('pods', operatorNamespace, 'app.kubernetes.io/name=ordinal-operator');
    const logs = await Promise.all(
      pods.map(({ metadata }) => kubernetes.kubectl(['logs', '-n', operatorNamespace, metadata.name])),
    );
    return pods.length === 2 && logs.every((log) => log.includes(`"version":"${version}"`));
  });
  return line;
}
