/* The program `ordinal-simulate`: a simulated cluster on a port, with the CRDs of a directory, and a kubeconfig to reach it. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SimulatedCluster } from '../cluster/simulated-cluster.ts';
import { builtinProgram, builtinProgramOnly } from '../programs/builtin-programs.ts';
import { imageModules } from './image-modules.ts';
import { kubeconfigOf } from './kubeconfig.ts';
import { listen } from './listen.ts';
import { httpsWebhooks } from './webhook-calls.ts';

const usage = `ordinal-simulate [--crds DIR] [--port N] [--kubeconfig FILE] [--nodes N] [--pace N] [--images DIR] [--control-plane]

Serves a simulated Kubernetes cluster on the loopback address: API server, controllers, and nodes whose containers
start, become ready and stop. They run what is known of their commands: small shell scripts, and a few
servers, and programs of your own. One of which nothing is known says so, in an event of its pod and in its log.
Whoever reaches it is its administrator.

  --crds DIR         installs every CustomResourceDefinition in DIR's YAML files
  --port N           listens there; a free port by default
  --kubeconfig FILE  where the kubeconfig is written; ./simulated.kubeconfig by default
  --nodes N          how many nodes there are; 3 by default
  --pace N           how much faster than the wall clock time passes; 1 by default
  --images DIR       takes programs for images from DIR's modules: export const images = { 'app:1': { … } }
  --undescribed run|fail
                     whether a container of which nothing is known runs or, as a task, is done after a second, or
                     can't be started; run by default
  --authorization-mode RBAC|AlwaysAllow
                     whether users need roles: kubectl --as NAME shows what they may do; RBAC by default
  --control-plane    the API server alone, without controllers and nodes
`;

const flags = {
  crds: { type: 'string' },
  port: { type: 'string', default: '0' },
  kubeconfig: { type: 'string', default: 'simulated.kubeconfig' },
  nodes: { type: 'string', default: '3' },
  pace: { type: 'string', default: '1' },
  images: { type: 'string' },
  undescribed: { type: 'string', default: 'run' },
  'authorization-mode': { type: 'string', default: 'RBAC' },
  'control-plane': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** The texts of a directory's YAML files. */
const definitionsIn = (directory: string): readonly string[] =>
  readdirSync(directory)
    .filter((name) => /\.ya?ml$/.test(name))
    .map((file) => readFileSync(join(directory, file), 'utf8'));

function numberOf(flag: 'port' | 'nodes' | 'pace', text: string): number {
  const value = Number(text);
  if (text === '' || !Number.isFinite(value) || value < 0) throw new Error(`--${flag} takes a number, not '${text}'`);
  return value;
}

function checksPermissions(mode: string): boolean {
  if (mode !== 'RBAC' && mode !== 'AlwaysAllow')
    throw new Error(`--authorization-mode takes RBAC or AlwaysAllow, not '${mode}'`);
  return mode === 'RBAC';
}

function programsFor(undescribed: string): typeof builtinProgram {
  if (undescribed !== 'run' && undescribed !== 'fail')
    throw new Error(`--undescribed takes run or fail, not '${undescribed}'`);
  return undescribed === 'run' ? builtinProgram : builtinProgramOnly;
}

function readFlags() {
  try {
    return parseArgs({ options: flags }).values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // What follows the first sentence is advice for programs that take words.
    const [mistake = ''] = error.message.split(/[.\n]/);
    const names = Object.keys(flags).map((name) => `--${name}`);
    throw new Error(`${mistake}; there are ${names.join(', ')}`, { cause: error });
  }
}

async function main(): Promise<void> {
  const values = readFlags();
  if (values.help) {
    say(usage);
    return;
  }
  const cluster = await SimulatedCluster.start({
    crds: values.crds === undefined ? [] : definitionsIn(values.crds),
    pace: numberOf('pace', values.pace),
    nodes: values['control-plane'] ? 0 : numberOf('nodes', values.nodes),
    controllers: !values['control-plane'],
    webhooks: httpsWebhooks,
    rbac: checksPermissions(values['authorization-mode']),
    // The accounts of namespaces are made by a controller.
    serviceAccounts: !values['control-plane'],
  });
  cluster.images.otherwise = programsFor(values.undescribed);
  for (const [reference, program] of values.images === undefined ? [] : await imageModules(values.images))
    cluster.image(reference, program);
  const listening = await listen(cluster, { port: numberOf('port', values.port) });
  writeFileSync(values.kubeconfig, kubeconfigOf({ server: listening.url }), { mode: 0o600 });
  say(`listening on ${listening.url}; export KUBECONFIG=${values.kubeconfig}`);
  const end = (): void => {
    cluster.stop();
    void listening.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  await cluster.keepRunning();
}

try {
  await main();
} catch (error) {
  // A mistake in a flag, a directory or definition that can't be read, a port that is taken: the message says it all.
  process.stderr.write(`ordinal-simulate: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
