import type { KeyObject } from 'node:crypto';
import { randomBytes, createSecretKey } from 'node:crypto';
import type { KubernetesObject } from '@ordinal/client';
import { createClient, timestamp } from '@ordinal/client';
import { hasTokens, hiding, kinds, lostTokens, sealedTokens } from '@ordinal/reconcilers';
import type { CacheReader, ControllerDefinition, ReconcileContext } from '@ordinal/runtime';
import { silentLogger } from '@ordinal/runtime';
import { Notes, NotingReader, askedText, decisionAsJson } from '@ordinal/runtime/recording';
import type { OrdinalResource } from '../kinds.ts';
import { localReader } from '../plan/local-reader.ts';
import type { LoadedReconcile, Recording } from '../recording/load.ts';
import { BelievedObjects } from './believed-objects.ts';
import type { Difference } from './difference.ts';
import { firstDifference } from './difference.ts';
import { ReplayClock } from './replay-clock.ts';
import { Answers, replayedEnvironment } from './replayed-answers.ts';
import { ReplayedTransport } from './replayed-transport.ts';

/** A decision of this version that is another one than was recorded. */
interface ChangedDecision extends Difference {
  readonly controller: string;
  readonly namespace: string;
  readonly name: string;
  /** When the reconcile began, in milliseconds since the epoch. */
  readonly at: number;
  /** What this version looks at, and the recording does not have. */
  readonly notRecorded: readonly string[];
  /** How the reconcile failed here, where it did. */
  readonly failure?: string;
}

/** What a replay has come to. */
export interface Replay {
  readonly reconciles: number;
  readonly same: number;
  readonly changed: readonly ChangedDecision[];
  /** Other decisions, which may rest on a value that is hidden: they say nothing. */
  readonly hidden: number;
  /** Reconciles that were ended from outside, or that a controller of this version does not make. */
  readonly passedOver: number;
}

/** What a replay is made with. */
export interface Replaying {
  /** The key with which values are hidden in the recording, where there is one. */
  readonly key?: KeyObject | undefined;
}

/** Runs each recorded reconcile through the controllers of this version, on what was observed then, and compares what they decide. Nothing is sent anywhere. */
export async function replay({ reconciles }: Pick<Recording, 'reconciles'>, { key }: Replaying = {}): Promise<Replay> {
  const replayer = new Replayer(key);
  const changed: ChangedDecision[] = [];
  let same = 0;
  let hidden = 0;
  let passedOver = 0;
  for (const each of reconciles) {
    const outcome = await replayer.play(each);
    if (outcome === 'passed over') passedOver += 1;
    else if (outcome === undefined) same += 1;
    else if (replayer.restsOnHidden(each)) hidden += 1;
    else changed.push(outcome);
  }
  return { reconciles: reconciles.length, same, changed, hidden, passedOver };
}

/** What is taken down of one reconcile. */
interface Played {
  readonly decisions: unknown[];
  readonly missing: Set<string>;
  readonly notes: Notes;
  readonly ending: AbortController;
}

class Replayer {
  readonly #hide: (value: unknown) => unknown;
  readonly #clock = new ReplayClock();
  readonly #believed = new BelievedObjects();
  readonly #controllers: ReadonlyMap<string, ControllerDefinition>;
  #answers = new Answers([], () => undefined);

  constructor(key: KeyObject | undefined) {
    this.#hide = hiding(key === undefined ? lostTokens(createSecretKey(randomBytes(32))) : sealedTokens(key));
    // The same ones for the whole recording: what they remember of earlier reconciles, they remember here.
    const environment = replayedEnvironment(() => this.#answers);
    const definitions = kinds.flatMap((kind) => kind.controllers(environment));
    this.#controllers = new Map(definitions.map((definition) => [definition.name, definition]));
  }

  restsOnHidden({ seen, record: { requests, answers, decisions } }: LoadedReconcile): boolean {
    return [...seen.values(), requests, answers, decisions].some(hasTokens);
  }

  /** The first difference; undefined where there is none. */
  async play(loaded: LoadedReconcile): Promise<ChangedDecision | 'passed over' | undefined> {
    const { record } = loaded;
    const definition = this.#controllers.get(record.controller);
    if (record.cutOff === true || definition === undefined) return 'passed over';
    const played: Played = {
      ...{ decisions: [], missing: new Set(), ending: new AbortController(), notes: new Notes() },
    };
    this.#answers = new Answers(record.answers, (of) => played.missing.add(of));
    this.#clock.begin(record.at, record.times);
    const { namespace, name } = record;
    let failure: string | undefined;
    try {
      await definition.reconcile({ namespace, name }, await this.#context(loaded, definition, played));
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    const difference = firstDifference(record.decisions, played.decisions, 'decisions');
    if (!difference) return undefined;
    const wereAsked = new Set(record.asked);
    const askedNow = [...new Set(played.notes.sorted().asked.map(askedText))].filter((text) => !wereAsked.has(text));
    return {
      ...{ controller: record.controller, namespace, name, at: record.at, ...difference },
      notRecorded: [...played.missing, ...askedNow],
      ...(failure !== undefined && { failure }),
    };
  }

  async #context(loaded: LoadedReconcile, definition: ControllerDefinition, played: Played): Promise<ReconcileContext> {
    const { record } = loaded;
    const { primary } = definition;
    const primaryKind = primary.group === '' ? primary.plural : `${primary.plural}.${primary.group}`;
    const owner = loaded.seen
      .get(primaryKind)
      ?.find(({ metadata }) => metadata.name === record.name && (metadata.namespace ?? '') === record.namespace);
    const believe = (object: KubernetesObject) =>
      this.#believed.of(object, owner as OrdinalResource | undefined, record); // Of the controller's own kind.
    const seen = new Map<string, readonly KubernetesObject[]>();
    for (const [kind, objects] of loaded.seen)
      seen.set(kind.includes('.') ? kind : `${kind}.`, await Promise.all(objects.map(believe)));
    const { signal } = played.ending;
    const transport = new ReplayedTransport({
      ...{ requests: record.requests, ended: signal },
      missing: (what) => played.missing.add(what),
      objectAt: (path) => objectAt(path, seen),
      believed: (body) => believedBody(body, believe),
      now: () => timestamp(record.at),
    });
    // The client waits between tries; here nothing is waited for.
    const clock = { now: () => record.at, after: (_ms: number, action: () => void) => soon(action) };
    const client = createClient({ transport, clock, fieldManager: 'ordinal-operator' });
    const random = [...record.random];
    let places = 0;
    return {
      ...{ client, clock: this.#clock, log: silentLogger, signal, failures: record.failures },
      ...(record.restoredAt !== undefined && { restoredAt: record.restoredAt }),
      cache: new NotingReader(withCounts(localReader(definition, seen), record.counted), played.notes),
      random: () => random.shift() ?? 0.5,
      events: { publish: () => undefined },
      outside: async (call) => {
        const refused = this.#answers.refusedPlace((places += 1));
        if (refused) throw refused;
        return call();
      },
      decided: (decision) => this.#compare(decision, record, played),
    };
  }

  /** What was decided as it was recorded is carried out as it was then; after another decision nothing is. */
  #compare(decision: object, { decisions }: LoadedReconcile['record'], { decisions: now, ending }: Played): boolean {
    now.push(this.#hide(decisionAsJson(decision)));
    const isSame = firstDifference(decisions[now.length - 1], now.at(-1)) === undefined;
    if (!isSame) ending.abort(new Error('another decision than was recorded'));
    return isSame;
  }
}

/** The reader, which counts what the index counted then: of what it counted it has looked at nothing. */
function withCounts(reader: CacheReader, counted: LoadedReconcile['record']['counted']): CacheReader {
  return {
    ...reader,
    countByIndex(descriptor, index, value) {
      const { group, plural } = descriptor;
      const kind = group === '' ? plural : `${plural}.${group}`;
      const found = counted.find((each) => each[0] === kind && each[1] === index && each[2] === value);
      return found?.[3] ?? reader.countByIndex(descriptor, index, value);
    },
  };
}

function soon(action: () => void): { readonly cancel: () => void } {
  const handle = setImmediate(action);
  return { cancel: () => clearImmediate(handle) };
}

/** The object of a path, among those that the caches showed. */
function objectAt(path: string, seen: ReadonlyMap<string, readonly KubernetesObject[]>): KubernetesObject | undefined {
  const [, group = '', namespace = '', plural = '', name = ''] =
    /^\/apis?\/(?:([^/]+)\/)?v[^/]+\/(?:namespaces\/([^/]+)\/)?([^/?]+)\/([^/?]+)/.exec(path) ?? [];
  return seen
    .get(`${plural}.${group}`)
    ?.find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace);
}

interface Body {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: object;
  readonly items?: readonly object[];
}

/** A reply with the objects in it believed. */
async function believedBody(
  body: unknown,
  believe: (object: KubernetesObject) => Promise<KubernetesObject>,
): Promise<unknown> {
  if (typeof body !== 'object' || body === null) return body;
  const { kind = '', apiVersion, metadata, items } = body as Body; // Each is looked at.
  if (items !== undefined) {
    const whole = items.map((item) => ({ apiVersion, kind: kind.replace(/List$/, ''), ...item }));
    return { ...body, items: await Promise.all(whole.map((item) => believe(item as unknown as KubernetesObject))) };
  }
  return metadata !== undefined && 'uid' in metadata ? believe(body as unknown as KubernetesObject) : body;
}
