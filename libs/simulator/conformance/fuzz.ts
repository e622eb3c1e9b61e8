/**
 * Sends random sequences of requests to both worlds and compares the replies.
 *
 * `KUBECONFIG=… node --conditions=ordinal-source conformance/fuzz.ts [sequences] [seed]`. The same seed gives the same sequences; a difference names its
 * sequence, which runs alone with `--only=NUMBER`. Each sequence ends with a watch that goes through all its changes from before the first of them, and may
 * have others on its way. One that differs is run once more, alone, as cases are.
 */
import { systemClock } from '@ordinal/client';
import type { Clock } from '@ordinal/client';
import { ApiServer, CompiledKinds } from '../src/api-server/index.ts';
import type { Exchange, Json } from './case.ts';
import { Session } from './case.ts';
import { budget, claim, configMap, deployment, paths, service, statefulSet } from './cases/objects.ts';
import { differences } from './compare.ts';
import { readFlags } from '../../../tools/flags/flags.ts';
import { realWorld, simulatedWorld } from './world.ts';
import type { World } from './world.ts';

const { values, positionals } = readFlags(
  'KUBECONFIG=… node --conditions=ordinal-source conformance/fuzz.ts [SEQUENCES] [SEED] [--only=NUMBER]',
  { allowPositionals: true, options: { only: { type: 'string' } } },
);
const [count = 200, seed = 1] = positionals.map(Number);
const { only } = values;
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

/** What a sequence is about. */
interface Subject {
  readonly kind: Kind;
  readonly name: string;
  /** The version from before its first change. */
  readonly since: string;
}

/** Everything that happened to the object since the beginning, as a watch shows it; for some, only while it bears a label. */
async function watch(session: Session, { kind, name, since }: Subject, labels: string): Promise<void> {
  const selector = labels === '' ? '' : `&labelSelector=${encodeURIComponent(labels)}`;
  await session.get(
    `${kind.path}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3D${name}${selector}&resourceVersion=${since}`,
  );
}

/** One random request about one object. */
async function step(session: Session, choice: Choice, subject: Subject): Promise<void> {
  const { kind, name } = subject;
  const object = kind.make(choice, name);
  const path = `${kind.path}/${name}`;
  const { spec, data } = object as { spec?: Json; data?: Json };
  const change = { metadata: { labels: strings(choice) }, ...(spec && { spec }), ...(data && { data }) };
  switch (choice.below(10)) {
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
    case 8:
      return watch(session, subject, choice.of('', 'a', 'a=1', 'b!=1', '!c'));
    default:
      return void (await session.get(path));
  }
}

async function sequence(world: World, namespace: string, index: number): Promise<readonly Exchange[]> {
  const choice = new Choice(seed * 1_000_003 + index);
  const session = new Session(world, namespace);
  const kind = choice.of(...kinds);
  const name = `o${index}`;
  const list = await session.get(`${kind.path}?fieldSelector=metadata.name%3D${name}`);
  const since = String((list.body['metadata'] as Json)['resourceVersion']);
  const subject = { kind, name, since };
  for (let left = 4 + choice.below(8); left > 0; left -= 1) await step(session, choice, subject);
  await watch(session, subject, choice.of('', 'a', 'b=2'));
  return session.exchanges;
}

const real = realWorld(kubeconfig);
const compiled = new CompiledKinds();
// The clock's timers keep no process alive, and watches wait for them.
const alive = setInterval(() => undefined, 1000);
const run = Date.now().toString(36);
let requests = 0;

async function createNamespace(world: World, name: string): Promise<string> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await world.send({ method: 'POST', path: '/api/v1/namespaces', body });
  return name;
}

/** The real world, which notes when each reply came. */
function noting(dates: number[]): World {
  return {
    ...real,
    send: async (request) => {
      const reply = await real.send(request);
      dates.push(reply.date ?? Date.now());
      return reply;
    },
  };
}

/** A simulated world of its own, whose clock says at each request what the real one said: managedFields are sorted by their seconds. */
async function following(dates: readonly number[], namespace: string): Promise<World> {
  let now = dates[0] ?? 0;
  const clock: Clock = { now: () => now, after: (delayMs, action) => systemClock.after(delayMs, action) };
  const server = new ApiServer({ clock, random: Math.random, compiled, requiresNamespaces: true });
  const world = simulatedWorld(server.transport(undefined, 'conformance/1'));
  await createNamespace(world, namespace);
  const left = [...dates];
  return {
    ...world,
    send: (request) => {
      now = left.shift() ?? now;
      return world.send(request);
    },
  };
}

/** Where the two worlds differ in a sequence. */
async function compared(index: number, namespace: string): Promise<readonly string[]> {
  const dates: number[] = [];
  const reported = await sequence(noting(dates), namespace, index);
  const world = await following(dates, namespace);
  const simulated = await sequence(world, namespace, index);
  await world.close();
  requests += reported.length;
  return differences(simulated, reported);
}

const started = performance.now();
const namespace = await createNamespace(real, `fuzz-${run}`);
const waiting = Array.from({ length: count }, (_, index) => index).filter(
  (index) => only === undefined || Number(only) === index,
);
const all = waiting.length;
const suspects: number[] = [];
// Most of the time they wait for the end of a watch.
const worker = async (): Promise<void> => {
  for (let index = waiting.shift(); index !== undefined; index = waiting.shift())
    if ((await compared(index, namespace)).length > 0) suspects.push(index);
};
await Promise.all(Array.from({ length: 24 }, worker));
// Alone, and once more: the real server may have begun a request in one second and replied in the next.
let different = 0;
const second = await createNamespace(real, `fuzz-${run}-again`);
for (const index of suspects) {
  const found = await compared(index, second);
  if (found.length === 0) continue;
  different += 1;
  if (different <= 15) say(`✗ sequence ${index}\n   ${found.slice(0, only === undefined ? 3 : 40).join('\n   ')}`);
}
clearInterval(alive);
say(
  `${all} sequences, ${requests} requests, ${different} different, ${suspects.length} run twice; ${Math.round(performance.now() - started)} ms`,
);
process.exitCode = different === 0 ? 0 : 1;
