import type { KubernetesObject } from '@ordinal/client';
import { describeFault, enumerateFaults, runHistory } from '@ordinal/explorer';
import type { Fault, FaultGround, FaultName, HistoryOutcome, LifeSummary, Scenario } from '@ordinal/explorer';
import { seededRandom } from '@ordinal/simulator';
import type { OrdinalResource } from '../kinds.ts';
import { invariantsOf } from './invariants.ts';
import { outsideOf, simulatedOperator } from './operator.ts';
import type { Play } from './play.ts';
import { applyChange, prepare, settlesMs, stateIn } from './play.ts';
import { definitionOf, playedKinds } from './seed.ts';
import type { TimelineEntry } from './timeline.ts';
import { longestOf, Timeline } from './timeline.ts';

/** What is asked about faults. */
export interface FaultQuestion {
  /** How many faults, each in a history of its own. */
  readonly count: number;
  readonly seed: number;
  /** The one history to play, counted from 1; absent: all. */
  readonly history?: number | undefined;
}

/** A history with one fault. */
interface FaultHistory {
  /** Counted from 1. */
  readonly history: number;
  readonly fault: Fault;
  /** The fault in words. */
  readonly what: string;
  readonly ending: 'done' | 'failed' | 'under way';
  readonly tookMs: number;
  /** The longest time with a member down, in milliseconds. */
  readonly downMs: number;
  /** Invariants that were broken, and how. */
  readonly broken: readonly string[];
  readonly timeline: readonly TimelineEntry[];
}

/** What faults would make of a change. */
export interface FaultReport {
  readonly seed: number;
  /** How many faults there are in all, at every point of this history. */
  readonly possible: number;
  readonly played: number;
  /** Of those: how many keep all invariants, come to their end, and fail. */
  readonly keep: number;
  readonly done: number;
  readonly failed: number;
  readonly longest: Omit<FaultHistory, 'timeline'>;
  readonly worst: FaultHistory;
}

/** The faults of a day at work: of the operator's process, its requests and its caches, of pods and nodes. Clocks that jump would make deadlines of no meaning. */
const names: readonly FaultName[] = [
  ...(['crash', 'ambiguous', 'refuse', 'stale', 'unobserved', 'pod', 'node', 'permission', 'outage'] as const),
];

/** In what time the operator has tried all again that was refused to it, in milliseconds: so long after the end it has to be quiet. */
const quietMs = 600_000;

/** How long a history may take beyond the one without faults, in milliseconds: a lost node, and a deadline. */
const patienceMs = 3 * 3_600_000;

/** Without other resources and what is theirs: nothing of what they do would be a finding. */
function only(objects: readonly KubernetesObject[], wanted: readonly OrdinalResource[]): readonly KubernetesObject[] {
  const kinds = new Set(playedKinds.map(({ kind }) => kind));
  const isWanted = ({ kind, metadata }: KubernetesObject): boolean =>
    wanted.some((each) => each.kind === kind && each.metadata.name === metadata.name);
  const others = new Set<string>();
  for (let before = -1; others.size !== before;) {
    before = others.size;
    for (const object of objects) {
      const { uid, ownerReferences = [] } = object.metadata;
      if ((kinds.has(object.kind) && !isWanted(object)) || ownerReferences.some((owner) => others.has(owner.uid)))
        others.add(uid);
    }
  }
  return objects.filter(({ metadata }) => !others.has(metadata.uid));
}

const kindsOf = (wanted: readonly OrdinalResource[]) =>
  playedKinds.filter((descriptor) => wanted.some(({ kind }) => kind === descriptor.kind));

/** With what the change is about, and nothing else: it is played often. */
function narrowed(what: Play): Play {
  const { cluster } = what.seed;
  const objects = only(cluster.objects ?? [], what.wanted);
  const crds = kindsOf(what.wanted).map(definitionOf);
  return { ...what, seed: { ...what.seed, cluster: { ...cluster, objects, crds } } };
}

interface Lived {
  readonly outcome: HistoryOutcome;
  readonly timeline: Timeline;
  readonly ending: FaultHistory['ending'];
}

/** What the history without faults has shown. */
interface Reference {
  readonly ground: FaultGround;
  readonly lives: LifeSummary;
  readonly tookMs: number;
  /** The claims that went. */
  readonly gone: ReadonlySet<string>;
}

/** Plays the change once, with these faults. */
async function live(what: Play, seed: number, faults: readonly Fault[], reference?: Reference): Promise<Lived> {
  const { wanted, known } = what;
  let timeline: Timeline | undefined;
  const statesOf = (cluster: Parameters<Scenario['isDone']>[0]) => stateIn(cluster, what);
  const scenario: Scenario = {
    name: 'what-if',
    cluster: what.seed.cluster,
    operator: simulatedOperator(outsideOf(known), { of: kindsOf(wanted) }),
    setUp: (cluster) => void (timeline = prepare(cluster, what)),
    drive: async (cluster) => {
      await applyChange(cluster, what);
      await new Promise<void>((resolve) => void cluster.clock.after(settlesMs, resolve));
    },
    isDone: (cluster) => statesOf(cluster).every((state) => state !== 'under way'),
    quietMs,
    maxVirtualMs: (reference?.tookMs ?? 7 * 24 * 3_600_000) + patienceMs,
  };
  const oracles = invariantsOf(reference?.gone ?? new Set());
  const outcome = await runHistory({
    scenario,
    seed,
    faults,
    oracles,
    ...(reference && { reference: reference.lives }),
  });
  const states = statesOf(outcome.cluster);
  const ending = states.find((state) => state === 'under way') ?? states.find((state) => state === 'failed') ?? 'done';
  return { outcome, ending, timeline: timeline ?? new Timeline({ subscribe: () => () => undefined }, () => 0) };
}

/** The faults to play, in a random order in which every class of them has its share. Pure. */
function chosen(
  ground: FaultGround,
  { count, seed }: FaultQuestion,
): { readonly possible: number; readonly faults: readonly Fault[] } {
  const random = seededRandom(seed);
  const classes = names.map((name) =>
    enumerateFaults(name, ground)
      .map((fault) => ({ fault, order: random() }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ fault }) => fault),
  );
  const longest = Math.max(0, ...classes.map(({ length }) => length));
  const rounds = Array.from({ length: longest }, (_, index) => classes.flatMap((faults) => faults[index] ?? []));
  return { possible: classes.flat().length, faults: rounds.flat().slice(0, count) };
}

const tookOf = ({ entries }: Timeline): number => entries.at(-1)?.atMs ?? 0;

/** How bad a history is: a broken invariant before one that fails, before one with a member down for long, before a long one. */
const badness = ({ broken, ending, downMs, tookMs }: FaultHistory): readonly number[] => [
  ...[broken.length > 0 ? 1 : 0, ending === 'done' ? 0 : 1, downMs, tookMs],
];

function compare(one: FaultHistory, other: FaultHistory): number {
  const differences = badness(one).map((value, index) => value - (badness(other)[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

function historyOf(history: number, fault: Fault, { outcome, timeline, ending }: Lived): FaultHistory {
  const { trace, startedAt } = outcome.cluster;
  const strikes = trace.entries
    .filter(({ actor, action }) => actor === 'fault' && action === 'strike')
    .map(({ at, subject }) => ({ atMs: at - startedAt, about: 'fault', kind: 'fault' as const, what: subject }));
  return {
    ...{ history, fault, what: describeFault(fault), ending, tookMs: tookOf(timeline) },
    downMs: longestOf(timeline.outagesNow())?.forMs ?? 0,
    broken: outcome.violations.map(({ oracle, message }) => `${oracle}: ${message}`),
    timeline: [...timeline.entries, ...strikes].toSorted((a, b) => a.atMs - b.atMs),
  };
}

/** Plays the change again and again, each time with one fault: which histories keep the invariants, and what the worst looks like. */
export async function playFaults(whole: Play, question: FaultQuestion): Promise<FaultReport | undefined> {
  const what = narrowed(whole);
  const { outcome, timeline } = await live(what, question.seed, []);
  const { ground, lives } = outcome;
  const gone = timeline.entries.flatMap(({ about, what: said }) =>
    said === 'the volume claim is gone' ? [about] : [],
  );
  const reference = { ground, lives, tookMs: tookOf(timeline), gone: new Set(gone) };
  const { possible, faults } = chosen(ground, question);
  const histories: FaultHistory[] = [];
  for (const [index, fault] of faults.entries()) {
    if (question.history !== undefined && question.history !== index + 1) continue;
    histories.push(historyOf(index + 1, fault, await live(what, question.seed, [fault], reference)));
  }
  const [worst] = histories.toSorted((a, b) => compare(b, a));
  const [first] = histories.toSorted((a, b) => b.tookMs - a.tookMs);
  if (!worst || !first) return undefined;
  const { timeline: _, ...longest } = first;
  return {
    ...{ seed: question.seed, possible, played: histories.length, longest, worst },
    keep: histories.filter(({ broken }) => broken.length === 0).length,
    done: histories.filter(({ ending }) => ending === 'done').length,
    failed: histories.filter(({ ending }) => ending === 'failed').length,
  };
}
