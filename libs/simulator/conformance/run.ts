/**
 * Runs the suite on both worlds and compares what they say.
 *
 * `KUBECONFIG=… node --conditions=ordinal-source conformance/run.ts [text in the case's name]`: the real world is the API server of the
 * kubeconfig; controllers should not run there (`npm run cluster -- api-server`), because cases speak with the API server alone. With `--controllers`, it is
 * the other way round: those cases run that compare what controllers do. `--record=FILE` keeps the real replies, `--replay=FILE` compares with them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { systemClock } from '@ordinal/client';
import { cel } from '@ordinal/schema/cel';
import { ApiServer } from '../src/api-server/index.ts';
import { httpsWebhooks } from '../src/http/webhook-calls.ts';
import type { Case, Exchange } from './case.ts';
import { Session } from './case.ts';
import { SimulatedCluster } from '../src/index.ts';
import { controllerCases } from './cases/cascades.ts';
import { allCases } from './cases/index.ts';
import { disruptionCases } from './cases/disruption.ts';
import { gatheredRoleCases } from './cases/gathered-roles.ts';
import { cronJobControlCases } from './cases/cron-job-control.ts';
import { daemonControlCases } from './cases/daemon-control.ts';
import { jobControlCases } from './cases/job-control.ts';
import { schedulingCases } from './cases/scheduling-control.ts';
import { quotaControllerCases } from './cases/quota-controller.ts';
import { mirroredSliceCases } from './cases/mirrored-slices.ts';
import { deploymentControlCases } from './cases/deployment-control.ts';
import { replicaFailureCases } from './cases/replica-failure.ts';
import { ownershipCases } from './cases/ownership.ts';
import { differences } from './compare.ts';
import { readFlags } from '../../../tools/flags/flags.ts';
import { realWorld, simulatedWorld } from './world.ts';
import type { World } from './world.ts';

const usage =
  'KUBECONFIG=… node --conditions=ordinal-source conformance/run.ts [text in the name of a case] [--controllers]';
const { values: flags, positionals } = readFlags(usage, {
  allowPositionals: true,
  options: {
    verbose: { type: 'boolean', default: false },
    controllers: { type: 'boolean', default: false },
    record: { type: 'string' },
    replay: { type: 'string' },
  },
});
const [filter = ''] = positionals;
/** Real transcripts by case, and the namespaces they speak of: written to a file after the run, or read from one instead of asking the real world. */
const { verbose, record, replay } = flags;
interface Transcript {
  readonly namespace: string;
  readonly exchanges: readonly Exchange[];
}
const transcripts: Record<string, Transcript> =
  // Written by a run before.
  replay === undefined ? {} : (JSON.parse(readFileSync(replay, 'utf8')) as Record<string, Transcript>);
const kubeconfig = process.env['KUBECONFIG'];
if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG names no API server to compare with\n');
  process.exit(0);
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function newServer(): ApiServer {
  const server = new ApiServer({
    clock: systemClock,
    random: Math.random,
    cel,
    requiresNamespaces: true,
    completes: true,
    authorizes: true,
    webhooks: httpsWebhooks,
  });
  for (const name of ['default', 'kube-system', 'kube-public', 'kube-node-lease'])
    server.execute({
      verb: 'create',
      resource: { group: '', version: 'v1', plural: 'namespaces' },
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
  return server;
}

async function inNamespace(
  world: World,
  name: string,
  work: (session: Session) => Promise<void>,
): Promise<readonly Exchange[]> {
  await world.send({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  });
  await world.send({
    method: 'POST',
    path: `/api/v1/namespaces/${name}/serviceaccounts`,
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  });
  const session = new Session(world, name);
  await work(session);
  return session.exchanges;
}

/** The time that one world took, added up. */
const spent = { simulated: 0, real: 0 };

async function timed(world: World, name: string, { body }: Case): Promise<readonly Exchange[]> {
  const started = performance.now();
  const exchanges = await inNamespace(world, name, body);
  spent[world.name] += performance.now() - started;
  return exchanges;
}

/** The user of the kubeconfig that `tools/cluster` writes: webhooks see who asks. */
const admin = { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] };
const real = realWorld(kubeconfig);
const withControllers = flags.controllers;
/** A simulated cluster on the wall clock, without nodes: as little as the real control plane does it run a pod. */
const cluster = withControllers
  ? await SimulatedCluster.start({ pace: 1, nodes: 0, rbac: true, serviceAccounts: true })
  : undefined;
void cluster?.keepRunning();
const newSimulation = (): World =>
  simulatedWorld(cluster?.transport(admin) ?? newServer().transport(admin, 'conformance/1'));
const simulated = newSimulation();
const run = Date.now().toString(36);
// The clock's timers keep no process alive, and watches wait for them.
const alive = setInterval(() => undefined, 1000);
let different = 0;
const casesOfControllers = [
  ...controllerCases,
  ...ownershipCases,
  ...gatheredRoleCases,
  ...mirroredSliceCases,
  ...disruptionCases,
  ...daemonControlCases,
  ...jobControlCases,
  ...cronJobControlCases,
  ...schedulingCases,
  ...quotaControllerCases,
  ...replicaFailureCases,
  ...deploymentControlCases,
];
const cases = (withControllers ? casesOfControllers : allCases).filter(({ name }) => name.includes(filter));

/** Both worlds' transcripts of one case compared, in a namespace of its own. */
async function compared(
  conformanceCase: Case,
  namespace: string,
  world: World = simulated,
): Promise<readonly string[]> {
  const { name } = conformanceCase;
  try {
    const known = replay === undefined ? undefined : transcripts[name];
    const [left, right] = await Promise.all([
      timed(world, known?.namespace ?? namespace, conformanceCase),
      known?.exchanges ?? timed(real, namespace, conformanceCase),
    ]);
    if (verbose) say(JSON.stringify(right, undefined, 1));
    const found = differences(left, right);
    if (record !== undefined && found.length === 0) transcripts[name] = { namespace, exchanges: right };
    return found;
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
}

// Cases have a namespace each. A few at a time, so that those that wait for the end of a watch hold up no others.
const waiting = [...cases.entries()];
const suspects: [number, Case][] = [];
const worker = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    if ((await compared(next[1], `c-${run}-${next[0]}`)).length > 0) suspects.push(next);
};
await Promise.all(Array.from({ length: 4 }, worker));
// Alone, and once more: one world may have crossed a second between two writes (managedFields are sorted by it), or have sent a bookmark because of
// another case's writes. What differs again is a difference.
for (const [index, suspect] of suspects) {
  // What was recorded speaks of one namespace, which the simulation has used already.
  const fresh = replay === undefined ? undefined : newSimulation();
  const found = await compared(suspect, `c-${run}-${index}-again`, fresh);
  await fresh?.close();
  if (found.length === 0) continue;
  different += 1;
  say(`✗ ${suspect.name}`);
  for (const text of found.slice(0, 12)) say(`   ${text}`);
}
if (record !== undefined) writeFileSync(record, JSON.stringify(transcripts));
clearInterval(alive);
cluster?.stop();
await simulated.close();
say(
  `${cases.length} cases, ${different} different, ${suspects.length} run twice; simulated ${Math.round(spent.simulated)} ms, real ${Math.round(spent.real)} ms`,
);
process.exitCode = different === 0 ? 0 : 1;
