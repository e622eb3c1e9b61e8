/**
 * Runs the same `kubectl` commands on both worlds and compares what they print and how they end.
 *
 * `KUBECONFIG=… KUBECTL=… node --conditions=ordinal-source conformance/kubectl.ts`: a real control plane with its controllers, and no node; the simulated
 * cluster is started without nodes too. Masked are ages, times, uids and resource versions, and the address of the server.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpsWebhooks } from '../src/http/webhook-calls.ts';
import { SimulatedCluster, kubeconfigOf, listen } from '../src/index.ts';
import { Mask } from './mask.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const kubeconfig = process.env['KUBECONFIG'];
const kubectl = process.env['KUBECTL'] ?? 'kubectl';
if (kubeconfig === undefined) {
  say('skipped: KUBECONFIG names no cluster to compare with');
  process.exit(0);
}

const directory = mkdtempSync(join(tmpdir(), 'kubectl-'));
const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};
const namespace = `k-${Date.now().toString(36)}`;

const settings = file(
  'settings.yaml',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, labels: {app: web}}\ndata: {a: one, b: two}\n',
);
const changed = file(
  'changed.yaml',
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, labels: {app: web}}\ndata: {a: one, b: three}\n',
);
const misspelt = file('misspelt.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: wrong}\ndate: {a: one}\n');
const editor = file('editor.sh', '#!/bin/sh\nsed -i "s/b: three/b: edited/" "$1"\n');

/** Commands, one after the other; each sees what those before have left. */
const commands: readonly (readonly string[])[] = [
  ['create', 'deployment', 'web', '--image=app:1', '--replicas=0', '--port=80'],
  ['get', 'deployment', 'web'],
  ['get', 'deployment', 'web', '-o', 'name'],
  ['scale', 'deployment', 'web', '--replicas=0', '--current-replicas=3'],
  ['rollout', 'status', 'deployment/web', '--timeout=10s'],
  ['rollout', 'pause', 'deployment/web'],
  ['rollout', 'resume', 'deployment/web'],
  ['wait', 'deployment/web', '--for=condition=Available', '--timeout=10s'],
  ['set', 'image', 'deployment/web', 'app=app:2'],
  ['apply', '-f', settings],
  ['apply', '-f', settings],
  ['diff', '-f', settings],
  ['apply', '-f', changed],
  ['apply', '-f', misspelt],
  ['apply', '--server-side', '-f', settings],
  ['apply', '--server-side', '--force-conflicts', '-f', changed],
  ['get', 'configmap', 'settings', '-o', 'yaml'],
  ['get', 'configmap', 'settings', '-o', 'yaml', '--show-managed-fields'],
  ['get', 'configmaps', '-l', 'app=web', '--show-labels'],
  ['get', 'configmap', 'settings', '-o', 'jsonpath={.data.b}'],
  ['edit', 'configmap', 'settings'],
  ['patch', 'configmap', 'settings', '-p', '{"data":{"c":"four"}}'],
  ['patch', 'configmap', 'settings', '--type=json', '-p', '[{"op":"remove","path":"/data/none"}]'],
  ['label', 'configmap', 'settings', 'app=other'],
  ['label', 'configmap', 'settings', 'app=other', '--overwrite'],
  ['annotate', 'configmap', 'settings', 'note=x'],
  ['describe', 'configmap', 'settings'],
  ['create', 'configmap', 'settings', '--from-literal=a=b'],
  ['get', 'configmap', 'none'],
  ['get', 'nonsense'],
  ['create', 'secret', 'generic', 'credentials', '--from-literal=user=admin'],
  ['get', 'secrets'],
  ['describe', 'secret', 'credentials'],
  ['create', 'role', 'reader', '--verb=get,list', '--resource=pods,deployments.apps'],
  ['create', 'rolebinding', 'readers', '--role=reader', '--user=alice'],
  ['describe', 'role', 'reader'],
  ['get', 'rolebindings', '-o', 'wide'],
  ['auth', 'can-i', 'list', 'pods', '--as=alice'],
  ['auth', 'can-i', 'delete', 'pods', '--as=alice'],
  ['auth', 'can-i', 'list', 'pods'],
  ['get', 'pods', '--as=bob'],
  ['create', 'service', 'clusterip', 'web', '--tcp=80:8080', '--clusterip=None'],
  ['get', 'service', 'web', '-o', 'wide'],
  ['create', 'pdb', 'web', '--selector=app=web', '--max-unavailable=50%'],
  ['get', 'pdb'],
  ['create', 'job', 'once', '--image=app:1', '--dry-run=server', '-o', 'name'],
  ['run', 'single', '--image=app:1', '--dry-run=server', '-o', 'name'],
  ['api-resources', '--api-group=apps', '--verbs=scale,list'],
  ['api-resources', '--api-group=policy', '-o', 'wide'],
  ['get', 'events', '--field-selector', 'reason=Nothing'],
  ['delete', 'configmap', 'settings', '--dry-run=server'],
  ['delete', 'configmap', 'settings'],
  ['delete', 'configmap', 'settings'],
  ['delete', 'deployment', 'web', '--cascade=foreground'],
  ['delete', 'rolebinding', '--all'],
  ['top', 'pods'],
];

interface Printed {
  readonly code: number;
  readonly output: string;
}

function run(config: string, args: readonly string[]): Promise<Printed> {
  const env = { ...process.env, KUBECONFIG: config, EDITOR: `sh ${editor}`, HOME: directory };
  return new Promise((resolve) => {
    execFile(kubectl, args, { env, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), output: `${stdout}${stderr}` });
    });
  });
}

/** What two worlds can't share, as marks; columns are as wide as their widest cell, so that runs of spaces count as one. */
function shown(printed: Printed): string {
  const text = String(new Mask().apply(printed.output))
    .replaceAll(/(?<=\s)\d+(?:s|m|h|m\d+s)(?=\s)/g, '<age>')
    .replaceAll(/resourceVersion: "\d+"/g, 'resourceVersion: <version>')
    .replaceAll(/\/tmp\/(?:LIVE|MERGED)-\d+/g, '<file>')
    .replaceAll(/ {2,}/g, '  ');
  return `exit code ${printed.code}\n${text}`;
}

const cluster = await SimulatedCluster.start({
  pace: 1,
  nodes: 0,
  rbac: true,
  serviceAccounts: true,
  webhooks: httpsWebhooks,
});
void cluster.keepRunning();
const listening = await listen(cluster);
const simulatedConfig = file('simulated', kubeconfigOf({ server: listening.url }));
let different = 0;
const spent = { simulated: 0, real: 0 };

async function timed(world: keyof typeof spent, args: readonly string[]): Promise<string> {
  const started = performance.now();
  const printed = await run(world === 'real' ? (kubeconfig ?? '') : simulatedConfig, args);
  spent[world] += performance.now() - started;
  return shown(printed);
}

try {
  for (const world of ['simulated', 'real'] as const) await timed(world, ['create', 'namespace', namespace]);
  // Objects that controllers add to a new namespace.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  for (const command of commands) {
    const args = ['-n', namespace, ...command];
    const [simulated, real] = await Promise.all([timed('simulated', args), timed('real', args)]);
    if (simulated === real) continue;
    different += 1;
    say(`✗ kubectl ${command.join(' ')}\n--- simulated\n${simulated}\n--- real\n${real}`);
  }
  await timed('real', ['delete', 'namespace', namespace]);
} finally {
  cluster.stop();
  await listening.close();
  rmSync(directory, { recursive: true, force: true });
}
say(
  `${commands.length} commands, ${different} different; simulated ${Math.round(spent.simulated)} ms, real ${Math.round(spent.real)} ms`,
);
process.exit(different === 0 ? 0 : 1);
