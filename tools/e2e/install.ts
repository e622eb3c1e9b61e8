import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, until, type Kubernetes, type Resource } from './kubernetes.ts';
import { untilWebhooksAnswer } from './webhooks.ts';
import { definitions, operatorNamespace, plurals, type World } from './world.ts';

/** The manifest as `npm run synth` makes it. */
export const manifest = join(import.meta.dirname, '..', '..', 'dist', 'install.yaml');

/** Applies the manifest and waits until both replicas are ready under their own permissions. */
export async function install({ kubernetes, report }: World): Promise<void> {
  await report.step('kubectl apply --server-side -f dist/install.yaml', async () => {
    check(readFileSync(manifest, 'utf8').length > 0, 'dist/install.yaml is empty');
    const before = await kubernetes.find('deployment', 'ordinal-operator', operatorNamespace).catch(() => undefined);
    await kubernetes.kubectl(['apply', '--server-side', '-f', manifest]);
    // The image of a development version keeps its name when it changes.
    if (before)
      await kubernetes.kubectl(['rollout', 'restart', '-n', operatorNamespace, 'deployment/ordinal-operator']);
  });
  await report.step('two operator pods are ready', () => untilOperatorReady(kubernetes));
  await report.step('they miss no definition and no permission', async () => {
    const logs = Object.values(await operatorLogs(kubernetes)).join('\n');
    const missing = logs.split('\n').filter((line) => /"missing":|Forbidden|forbidden/.test(line));
    check(missing.length === 0, missing.slice(0, 3).join('\n'));
  });
  await report.step('they take less than 100 MiB each', () => checkIdleMemory(kubernetes));
}

/** Whether the operator is there, whatever has installed it. */
export async function isInstalled({ kubernetes }: World): Promise<boolean> {
  return (await kubernetes.find('deployment', 'ordinal-operator', operatorNamespace)) !== undefined;
}

/** Deletes all resources, and what was installed by kubectl `from` a file or folder, as the pages say. Throws where something is left. */
export async function uninstall(
  world: World,
  from: readonly [flag: string, path: string] = ['-f', manifest],
): Promise<void> {
  const { kubernetes } = world;
  // Those of other scenarios too, whose namespaces may still be on their way.
  await kubernetes.kubectl(['delete', plurals.join(','), '--all', '-A', '--timeout=60s']);
  for (const definition of await definitions(world))
    await kubernetes.kubectl(['annotate', 'crd', definition, 'ordinal.dev/allow-deletion=true', '--overwrite']);
  await kubernetes.kubectl(['delete', ...from, '--timeout=90s']);
  check((await definitions(world)).length === 0, 'definitions are left');
  check((await kubernetes.find('namespace', operatorNamespace)) === undefined, 'the namespace is left');
}

/** Waits until every replica of the Deployment is ready and the webhooks answer, and says how long each process took from its own start, by its own clock. */
export async function untilOperatorReady(kubernetes: Kubernetes): Promise<string> {
  await until('the operator is ready', 90, async () => {
    const { spec, status, metadata } = await kubernetes.get('deployment', 'ordinal-operator', operatorNamespace);
    const isCurrent = status?.observedGeneration === (metadata as { generation?: number }).generation;
    const isWhole = status?.readyReplicas === spec?.replicas && status?.updatedReplicas === spec?.replicas;
    if (!isCurrent || !isWhole || status?.unavailableReplicas) throw new Error(JSON.stringify(status));
    return true;
  });
  await untilWebhooksAnswer(kubernetes);
  const spans: string[] = [];
  for (const pod of await operatorPods(kubernetes)) {
    const log = await kubernetes.kubectl(['logs', '-n', operatorNamespace, pod.metadata.name]);
    spans.push(`${/"readyAfterMs":(\d+)/.exec(log)?.[1] ?? '?'} ms`);
  }
  return `the processes were ready ${spans.join(' and ')} after their start`;
}

/** What the operator's memory must stay under while it has nothing to do, in MiB. */
const idleLimitMiB = 100;

/** How long a process that has started may take until its memory is that of one with nothing to do, in seconds. */
const settlesSeconds = 60;

/** Holds the resident memory of each replica, as its own metrics tell it, to the limit. What the start took is given back first. */
async function checkIdleMemory(kubernetes: Kubernetes): Promise<string> {
  return await until('they take less', settlesSeconds, async () => {
    const pages = await metricPages(kubernetes);
    const measured = pages.map((page) => Number(/^process_resident_memory_bytes (\S+)$/m.exec(page)?.[1]) / 2 ** 20);
    const line = `${measured.map((size) => size.toFixed(0)).join(' and ')} MiB`;
    check(measured.length > 0 && measured.every((size) => size < idleLimitMiB), `${line}, limit ${idleLimitMiB}`);
    return line;
  });
}

/** The page of metrics of each replica of the operator. */
export async function metricPages(kubernetes: Kubernetes): Promise<readonly string[]> {
  const pods = await operatorPods(kubernetes);
  return Promise.all(
    pods.map(({ metadata }) => kubernetes.ask(operatorNamespace, `${metadata.name}:8080`, '/metrics')),
  );
}

/** The operator's pods, but for those that are on their way out. */
export async function operatorPods(kubernetes: Kubernetes): Promise<readonly Resource[]> {
  const pods = await kubernetes.list('pods', operatorNamespace, 'app.kubernetes.io/name=ordinal-operator');
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Every pod's log, those of containers that have ended too, and what the cluster says, by file name. */
export async function operatorLogs(kubernetes: Kubernetes): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const { items } = JSON.parse(await kubernetes.kubectl(['get', 'pods', '-A', '-o', 'json'])) as { items: Resource[] };
  for (const { name, namespace = '' } of items.map(({ metadata }) => metadata)) {
    found[`${namespace}-${name}.log`] = await kubernetes.kubectl(['logs', '-n', namespace, name]).catch(String);
    found[`${namespace}-${name}.previous.log`] = await kubernetes
      .kubectl(['logs', '-n', namespace, name, '--previous'])
      .catch(() => '');
  }
  found['events.txt'] = await kubernetes.kubectl(['get', 'events', '-A', '--sort-by=.metadata.creationTimestamp']);
  found['pods.txt'] = await kubernetes.kubectl(['get', 'pods', '-A', '-o', 'wide']);
  // Each by itself: while the definitions are being deleted, some are known and some are not.
  for (const plural of plurals)
    found[`${plural}.yaml`] = await kubernetes.kubectl(['get', plural, '-A', '-o', 'yaml']).catch(String);
  found['definitions.yaml'] = await kubernetes
    .kubectl(['get', 'crd', '-o', 'jsonpath={range .items[*]}{.metadata}{"\\n"}{.status.conditions}{"\\n"}{end}'])
    .catch(String);
  return found;
}
