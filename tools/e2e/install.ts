import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, conditionOf, until, type Kubernetes } from './kubernetes.ts';
import { operatorNamespace, type World } from './world.ts';

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
}

/** Waits until every replica of the Deployment is ready and says how long each process took from its start, by the kubelet's clock of whole seconds. */
export async function untilOperatorReady(kubernetes: Kubernetes): Promise<string> {
  return until('the operator is ready', 90, async () => {
    const { spec, status, metadata } = await kubernetes.get('deployment', 'ordinal-operator', operatorNamespace);
    const isCurrent = status?.observedGeneration === (metadata as { generation?: number }).generation;
    const isWhole = status?.readyReplicas === spec?.replicas && status?.updatedReplicas === spec?.replicas;
    if (!isCurrent || !isWhole || status?.unavailableReplicas) throw new Error(JSON.stringify(status));
    const pods = await kubernetes.list('pods', operatorNamespace, 'app.kubernetes.io/name=ordinal-operator');
    const spans = pods
      .filter((pod) => pod.metadata.deletionTimestamp === undefined)
      .map((pod) => {
        const started = Date.parse(pod.status?.containerStatuses?.[0]?.state?.running?.startedAt as string);
        const { lastTransitionTime } = conditionOf(pod, 'Ready') as { lastTransitionTime?: string };
        return `${(Date.parse(lastTransitionTime ?? '') - started) / 1000} s`;
      });
    return `ready after ${spans.join(' and ')} of whole seconds`;
  });
}

/** The operator's logs, those of containers that have ended too, by file name. */
export async function operatorLogs(kubernetes: Kubernetes): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const { metadata } of await kubernetes.list('pods', operatorNamespace)) {
    found[`${metadata.name}.log`] = await kubernetes
      .kubectl(['logs', '-n', operatorNamespace, metadata.name])
      .catch(String);
  }
  found['events.txt'] = await kubernetes.kubectl(['get', 'events', '-A', '--sort-by=.metadata.creationTimestamp']);
  found['pods.txt'] = await kubernetes.kubectl(['get', 'pods', '-A', '-o', 'wide']);
  found['ordinal.yaml'] = await kubernetes.kubectl(['get', 'ordinal', '-A', '-o', 'yaml']).catch(String);
  return found;
}
