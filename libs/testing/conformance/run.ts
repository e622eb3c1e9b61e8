/**
 * Runs the suite on both worlds and compares what they say.
 *
 * `KUBECONFIG=… node --conditions=ordinal-source conformance/run.ts [text in the case's name] [--controllers]`: the real world is the API server of the
 * kubeconfig; controllers should not run there, because cases speak with the API server alone.
 */
import { systemClock } from '@ordinal/client';
import { cel } from '@ordinal/schema/cel';
import { ApiServer } from '../src/api-server/index.ts';
import type { Case, Exchange } from './case.ts';
import { Session } from './case.ts';
import { allCases } from './cases/index.ts';
import { differences } from './compare.ts';
import { realWorld, simulatedWorld } from './world.ts';
import type { World } from './world.ts';

const [filter = ''] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const verbose = process.argv.includes('--verbose');
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
    admitsServiceAccounts: true,
    authorizes: true,
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

const real = realWorld(kubeconfig);
const simulated = simulatedWorld(newServer().transport(undefined, 'conformance/1'));
const run = Date.now().toString(36);
// The clock's timers keep no process alive, and watches wait for them.
const alive = setInterval(() => undefined, 1000);
let different = 0;
const cases = allCases.filter(({ name }) => name.includes(filter));
for (const [index, conformanceCase] of cases.entries()) {
  const namespace = `c-${run}-${index}`;
  let found: readonly string[];
  try {
    const left = await timed(simulated, namespace, conformanceCase);
    const right = await timed(real, namespace, conformanceCase);
    found = differences(left, right);
    if (verbose) say(JSON.stringify(right, undefined, 1));
  } catch (error) {
    found = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
  if (found.length === 0) continue;
  different += 1;
  say(`✗ ${conformanceCase.name}`);
  for (const text of found.slice(0, 12)) say(`   ${text}`);
}
clearInterval(alive);
await simulated.close();
say(
  `${cases.length} cases, ${different} different; simulated ${Math.round(spent.simulated)} ms, real ${Math.round(spent.real)} ms`,
);
process.exitCode = different === 0 ? 0 : 1;
