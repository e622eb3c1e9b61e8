/**
 * Sends random sequences of requests to both worlds and compares the replies.
 *
 * `KUBECONFIG=… node --conditions=ordinal-source conformance/fuzz.ts [sequences] [seed]`. The same seed gives the same sequences; a difference names its
 * sequence, which runs alone with `--only=NUMBER`.
 */
import { systemClock } from '@ordinal/client';
import { ApiServer } from '../src/api-server/index.ts';
import type { Json } from './case.ts';
import { Session } from './case.ts';
import { budget, claim, configMap, deployment, paths, service, statefulSet } from './cases/objects.ts';
import { differences } from './compare.ts';
import { realWorld, simulatedWorld } from './world.ts';
import type { World } from './world.ts';

const numbers = process.argv.slice(2).filter((argument) => /^\d+$/.test(argument));
const [count = 200, seed = 1] = numbers.map(Number);
const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length);
const kubeconfig = process.env['KUBECONFIG'];
const say = (text: string): void => void process.stdout.write(`${text}\n`);
if (kubeconfig === undefined) {
  say('skipped: KUBECONFIG names no API server to compare with');
  process.exit(0);
}

/** Random choices from a seed (mulberry32). */
class Choice {
  #state: number;

  constructor(state: number) {
    this.#state = state;
  }

  number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  below(limit: number): number {
    return Math.floor(this.number() * limit);
  }

  of<T>(...list: readonly [T, ...T[]]): T {
    return list[this.below(list.length)] ?? list[0];
  }

  some<T>(list: readonly T[]): T[] {
    return list.filter(() => this.number() < 0.5);
  }
}

interface Kind {
  readonly path: string;
  readonly make: (choice: Choice, name: string) => Json;
}

const words = ['a', 'b', 'c'] as const;
const strings = (choice: Choice): Json =>
  Object.fromEntries(choice.some(words).map((key) => [key, choice.of('1', '2', '')]));

function metadata(choice: Choice, name: string): Json {
  return {
    name,
    ...(choice.number() < 0.5 && { labels: strings(choice) }),
    ...(choice.number() < 0.3 && { annotations: strings(choice) }),
    ...(choice.number() < 0.3 && { finalizers: choice.some(['example.com/x', 'example.com/y']) }),
  };
}

const container = (choice: Choice, name: string): Json => ({
  name,
  image: choice.of('i:1', 'i:2', 'i'),
  ...(choice.number() < 0.5 && { env: choice.some(words).map((key) => ({ name: key, value: choice.of('1', '2') })) }),
  ...(choice.number() < 0.4 && {
    ports: choice.some([80, 81]).map((port) => ({ containerPort: port, protocol: choice.of('TCP', 'UDP') })),
  }),
  ...(choice.number() < 0.3 && {
    resources: { requests: { cpu: choice.of('1', '500m', '0.5'), memory: choice.of('1Gi', '1024Mi') } },
  }),
});

const template = (choice: Choice, name: string): Json => ({
  metadata: { labels: { app: name, ...strings(choice) } },
  spec: {
    containers: ['main', ...choice.some(['side'])].map((entry) => container(choice, entry)),
    ...(choice.number() < 0.3 && { terminationGracePeriodSeconds: choice.below(50) }),
    ...(choice.number() < 0.3 && { nodeSelector: strings(choice) }),
    ...(choice.number() < 0.3 && { tolerations: [{ key: choice.of(...words), operator: 'Exists' }] }),
  },
});

const kinds: readonly [Kind, ...Kind[]] = [
  { path: paths.configMaps, make: (c, name) => ({ ...configMap(name, strings(c)), metadata: metadata(c, name) }) },
  {
    path: paths.statefulSets,
    make: (c, name) => ({
      ...statefulSet(name, {
        template: template(c, name),
        ...(c.number() < 0.5 && { replicas: c.below(4) }),
        ...(c.number() < 0.3 && {
          updateStrategy: c.of<Json>(
            { type: 'OnDelete' },
            { type: 'RollingUpdate', rollingUpdate: { partition: c.below(3) } },
          ),
        }),
        ...(c.number() < 0.2 && { minReadySeconds: c.below(3) }),
      }),
      metadata: metadata(c, name),
    }),
  },
  {
    path: paths.deployments,
    make: (c, name) => ({
      ...deployment(name, { template: template(c, name), replicas: c.below(3), paused: c.of(true, false) }),
      metadata: metadata(c, name),
    }),
  },
  {
    path: paths.services,
    make: (c, name) => ({
      ...service(name, {
        ports: c.some([80, 81, 82]).map((port) => ({ port, name: `p${port}` })),
        selector: strings(c),
        publishNotReadyAddresses: c.of(true, false),
      }),
      metadata: metadata(c, name),
    }),
  },
  {
    path: paths.claims,
    make: (c, name) => ({
      ...claim(name, { resources: { requests: { storage: c.of('1Gi', '1024Mi', '2G') } } }),
      metadata: metadata(c, name),
    }),
  },
  {
    path: paths.budgets,
    make: (c, name) => ({
      ...budget(name, c.of<Json>({ minAvailable: c.below(3) }, { minAvailable: '50%' })),
      metadata: metadata(c, name),
    }),
  },
];

/** One random request about one object. */
async function step(session: Session, choice: Choice, { kind, name }: { kind: Kind; name: string }): Promise<void> {
  const object = kind.make(choice, name);
  const path = `${kind.path}/${name}`;
  const { spec, data } = object as { spec?: Json; data?: Json };
  const change = { metadata: { labels: strings(choice) }, ...(spec && { spec }), ...(data && { data }) };
  switch (choice.below(9)) {
    case 0:
      return void (await session.create(kind.path, object));
    case 1:
      return void (await session.update(path, object));
    case 2:
      return void (await session.merge(path, change));
    case 3:
      return void (await session.strategic(path, change));
    case 4:
    case 5:
      return void (await session.apply(path, object, {
        manager: choice.of('first', 'second'),
        force: choice.number() < 0.4,
      }));
    case 6:
      return void (await session.json(path, [
        {
          op: choice.of('add', 'replace', 'remove'),
          path: choice.of('/metadata/labels/a', '/metadata/finalizers', '/metadata/annotations'),
          value: choice.of<unknown>('1', ['example.com/z'], { a: '1' }),
        },
      ]));
    case 7:
      return void (await session.delete(path, {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: choice.of('Background', 'Foreground', 'Orphan'),
      }));
    default:
      return void (await session.get(path));
  }
}

async function sequence(world: World, namespace: string, index: number): Promise<Session> {
  const choice = new Choice(seed * 1_000_003 + index);
  const session = new Session(world, namespace);
  const subject = { kind: choice.of(...kinds), name: `o${index}` };
  for (let left = 4 + choice.below(8); left > 0; left -= 1) await step(session, choice, subject);
  return session;
}

const server = new ApiServer({ clock: systemClock, random: Math.random, requiresNamespaces: true });
const worlds = { simulated: simulatedWorld(server.transport(undefined, 'conformance/1')), real: realWorld(kubeconfig) };
const namespace = `fuzz-${Date.now().toString(36)}`;
for (const world of Object.values(worlds))
  await world.send({
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });

const started = performance.now();
let different = 0;
let requests = 0;
for (let index = 0; index < count; index += 1) {
  if (only !== undefined && Number(only) !== index) continue;
  const simulated = await sequence(worlds.simulated, namespace, index);
  const real = await sequence(worlds.real, namespace, index);
  requests += real.exchanges.length;
  const found = differences(simulated.exchanges, real.exchanges);
  if (found.length === 0) continue;
  different += 1;
  if (different <= 15) say(`✗ sequence ${index}\n   ${found.slice(0, only === undefined ? 3 : 40).join('\n   ')}`);
}
say(`${count} sequences, ${requests} requests, ${different} different; ${Math.round(performance.now() - started)} ms`);
process.exitCode = different === 0 ? 0 : 1;
