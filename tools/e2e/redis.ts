import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kubernetes } from './kubernetes.ts';

/** The images that the scenarios run: Redis of two Debian releases, made by tools/cluster. */
export const redisImages = { before: 'docker.io/e2e/redis:7', after: 'docker.io/e2e/redis:8' } as const;

const file = (name: string): string => readFileSync(join(import.meta.dirname, 'pods', name), 'utf8');

/** The members' and the load's scripts, as a ConfigMap. */
export function scripts(namespace: string): object {
  const names = ['start.sh', 'handoff.sh', 'in-step.sh', 'load.ts'];
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'scripts', namespace },
    data: Object.fromEntries(names.map((name) => [name, file(name)])),
  };
}

const inMember = (script: string): { exec: { command: string[] } } => ({
  exec: { command: ['sh', `/scripts/${script}`] },
});

/** A ClusteredCache of three Redis members: one leads, two replicate; the leader goes last and hands over first. */
export function redisCache(
  namespace: string,
  name: string,
  options: { readonly image: string; readonly upgrade?: object },
): object {
  return {
    apiVersion: 'cache.my.domain/v1',
    kind: 'ClusteredCache',
    metadata: { name, namespace },
    spec: {
      replicas: 3,
      image: options.image,
      port: 6379,
      upgrade: {
        order: 'LeaderLast',
        role: { exec: { command: ['sh', '-c', 'redis-cli role | head -n 1'] }, leaderValue: 'master' },
        handoff: { ...inMember('handoff.sh'), timeout: '15s' },
        gates: [{ name: 'in-step', target: 'Peers', ...inMember('in-step.sh') }],
        sync: inMember('in-step.sh'),
        ...options.upgrade,
      },
      podTemplate: {
        spec: {
          containers: [
            {
              name: 'cache',
              command: ['sh', '/scripts/start.sh'],
              volumeMounts: [{ name: 'scripts', mountPath: '/scripts' }],
              readinessProbe: { periodSeconds: 1 },
            },
          ],
          volumes: [{ name: 'scripts', configMap: { name: 'scripts' } }],
        },
      },
    },
  };
}

/** A pod that writes 500 keys a second to whichever member leads. It runs on the Node of the operator's image. */
export function loadPod(namespace: string, cache: string, image: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'load', namespace },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'load',
          image,
          command: ['/usr/bin/node', '/scripts/load.ts'],
          env: [{ name: 'MEMBERS', value: [0, 1, 2].map((ordinal) => `${cache}-${ordinal}.${cache}`).join(',') }],
          volumeMounts: [{ name: 'scripts', mountPath: '/scripts' }],
        },
      ],
      volumes: [{ name: 'scripts', configMap: { name: 'scripts' } }],
    },
  };
}

/** What each member has answered last when the load asked it whether it leads, and it did not. */
type Answers = Readonly<Record<string, string>>;

/** What the load has counted. */
export interface LoadCounts {
  readonly acknowledged: number;
  /** Only after `finish`. */
  readonly lost?: number;
  readonly longestGapMs: number;
  /** How far into the longest gap the leader of before refused, how far into it another one was found, and what members had answered until then. Both 0 where the leader stayed. */
  readonly longestGapParts: {
    readonly refusedAfterMs: number;
    readonly foundAfterMs: number;
    readonly answers: Answers;
  };
  readonly longestWaitMs: number;
  readonly switches: number;
  readonly refusals: Readonly<Record<string, number>>;
  /** While no leader is known: what each member has answered last. */
  readonly answers: Answers;
  readonly seconds: number;
}

/** Asks the load for its counts. `/finish` ends it and reads back every acknowledged key; `/reset` answers with the counts so far and begins a new span for the longest gap. */
export async function askLoad(
  kubernetes: Kubernetes,
  namespace: string,
  path: '/counts' | '/reset' | '/finish',
): Promise<LoadCounts> {
  return JSON.parse(await kubernetes.ask(namespace, 'load:8000', path)) as LoadCounts; // As pods/load.ts answers.
}

/** The counts on a line. */
export function lineOf({ acknowledged, lost, longestGapMs, switches, seconds }: LoadCounts): string {
  const verified = lost === undefined ? '' : `, ${lost} lost`;
  return `${acknowledged} writes acknowledged${verified} in ${seconds.toFixed(0)} s, longest gap ${longestGapMs.toFixed(0)} ms, ${switches} changes of leader`;
}

const saying = (answers: Answers): string =>
  Object.entries(answers)
    .map(([member, answer]) => `; ${member} answered: ${answer}`)
    .join('');

/** A leader is found so quickly, in milliseconds; where it takes longer, the answers of the members are printed. */
const searchLimitMs = 1_000;

/** The longest gap, and where it went. */
export function gapLine(counts: LoadCounts): string {
  const { longestGapMs, longestGapParts } = counts;
  const { refusedAfterMs, foundAfterMs, answers } = longestGapParts;
  const isLate = foundAfterMs - refusedAfterMs > searchLimitMs;
  const parts =
    foundAfterMs === 0
      ? ''
      : ` (${refusedAfterMs.toFixed(0)} until the leader refused, ${foundAfterMs.toFixed(0)} until another was found)`;
  return `longest time without an acknowledged write ${longestGapMs.toFixed(0)} ms${parts}${saying(isLate ? answers : {})}${saying(counts.answers)}`;
}
