import type { Client, Clock, Transport } from '@ordinal/client';
import { createClient, jobs, timestamp } from '@ordinal/client';
import { kinds } from '@ordinal/reconcilers';
import type { ControllerDefinition, Logger, ReconcileContext } from '@ordinal/runtime';
import type { OrdinalResource } from '../kinds.ts';
import { descriptorOf } from '../kinds.ts';
import { believed, jobPath, withBelievedStatus } from './believed.ts';
import type { LocalObjects } from './local-reader.ts';
import { localReader, readFor } from './local-reader.ts';
import { readingEnvironment } from './outside.ts';
import type { PlannedWrite } from './pretend.ts';
import { PretendTransport } from './pretend.ts';
import { withoutSeals } from './unknown.ts';

/** One thing that the operator would do. */
interface PlanStep {
  readonly kind: 'action' | 'status' | 'event' | 'failure';
  readonly what: string;
  /** Why, in the operator's words. */
  readonly because?: string | undefined;
}

/** What the operator would do next. Nothing of it has happened. */
export interface Plan {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly steps: readonly PlanStep[];
  /** The writes that the steps are, in order. What only the operator has is shown as `unknown`, and what the nth of them makes as `madeBy(n)`. */
  readonly writes: readonly PlannedWrite[];
  /** What the plan ends before: what follows depends on it. */
  readonly endsBefore?: string | undefined;
  /** What is on record of services outside, which are not asked: the plan holds where it is so. */
  readonly supposing: readonly string[];
  /** When the operator would look again although nothing has changed, in milliseconds. */
  readonly looksAgainAfterMs?: number | undefined;
}

/** What a plan is made with. */
export interface Planning {
  readonly transport: Transport;
  readonly clock: Clock;
}

/** A first reconcile often does no more than write on the resource itself, such as its finalizer. So many are tried until there is more. */
const maxRounds = 5;

const pathOf = ({ kind, metadata }: OrdinalResource): string => {
  const { group, version, plural } = descriptorOf({ kind } as OrdinalResource);
  return `/apis/${group}/${version}/namespaces/${metadata.namespace ?? ''}/${plural}/${metadata.name}`;
};

/** Takes down what a reconcile does. */
class Recorder {
  readonly steps: PlanStep[] = [];
  readonly ending = new AbortController();
  endsBefore: string | undefined;
  readonly #supposed = new Set<string>();

  /** Ends the plan. */
  readonly end = (because: string): Error => {
    this.endsBefore ??= because;
    const error = new Error(`the plan ends before ${because}`);
    this.ending.abort(error);
    return error;
  };

  /** The plan holds where this is so. */
  readonly suppose = (what: string): void => {
    if (!this.ending.signal.aborted) this.#supposed.add(what);
  };

  get supposing(): readonly string[] {
    return [...this.#supposed];
  }

  add(step: PlanStep): void {
    if (!this.ending.signal.aborted) this.steps.push(step);
  }

  /** Actions are logged when they are done, each with its reason. */
  get log(): Logger {
    const ignored = (): void => undefined;
    const { add } = { add: (step: PlanStep) => this.add(step) };
    const info: Logger['info'] = ({ action, because }, what) => {
      if (typeof action === 'string') add({ kind: 'action', what, because: String(because) });
    };
    const log: Logger = {
      debug: ignored,
      info,
      error: ignored,
      warn: ({ error }, what) =>
        add({ kind: 'failure', what, because: error instanceof Error ? error.message : undefined }),
      child: () => log,
    };
    return log;
  }
}

/** What a write of the status says, for a person: the conditions and the seal left out. */
function statusStep({ body }: PlannedWrite): PlanStep {
  const { status = {} } = body as { readonly status?: Readonly<Record<string, unknown>> }; // Of a merge patch.
  const { seal: _seal, jobsSealed: _sealed, conditions, ...shown } = status;
  const what = Object.keys(shown).length > 0 || conditions === undefined ? JSON.stringify(shown) : 'conditions';
  return { kind: 'status', what: `write the status: ${what}` };
}

/** The objects with what was pretended of those that were read before, or made since. */
function after(objects: LocalObjects, changed: PretendTransport['changed']): LocalObjects {
  const result = new Map<string, LocalObjects extends ReadonlyMap<string, infer List> ? List : never>(objects);
  for (const [path, object] of changed) {
    const [, group = '', plural = '', name = ''] =
      /^\/apis?\/(?:([^/]+\.?[^/]*)\/)?v[^/]+\/(?:namespaces\/[^/]+\/)?([^/]+)\/([^/]+)$/.exec(path) ?? [];
    const key = `${plural}.${group}`;
    const list = result.get(key);
    if (!list) continue;
    const others = list.filter(({ metadata }) => metadata.name !== name);
    result.set(key, object === undefined ? others : [...others, object as never]);
  }
  return result;
}

interface Round {
  readonly definition: ControllerDefinition;
  readonly context: Omit<ReconcileContext, 'cache'>;
  readonly resource: OrdinalResource;
}

/** What the operator would do next for a resource, by its own observe and decide. Reads alone are sent. */
export async function planFor(resource: OrdinalResource, { transport: real, clock }: Planning): Promise<Plan> {
  const recorder = new Recorder();
  const transport = new PretendTransport(real, {
    now: () => timestamp(clock.now()),
    ended: recorder.ending.signal,
    onWrite: (write) => {
      if (write.path.endsWith('/status')) recorder.add(statusStep(write));
    },
  });
  const client = createClient({ transport, clock, fieldManager: 'ordinal-operator' });
  const definition = definitionFor(resource, client, recorder);
  const { namespace = '', name } = resource.metadata;
  const read = await readFor(definition, { client, namespace });
  transport.assume(pathOf(resource), withBelievedStatus(resource));
  const objects = await believed(after(read, transport.changed), resource);
  for (const job of objects.get(`${jobs.plural}.${jobs.group}`) ?? []) transport.assume(jobPath(job), job);
  const context = contextOf(recorder, { client, clock });
  const looksAgainAfterMs = await play({ definition, context, resource }, objects, { transport, recorder });
  const ended = recorder.endsBefore;
  return {
    kind: resource.kind,
    namespace,
    name,
    steps: recorder.steps,
    writes: transport.writes.map((write) => ({ ...write, body: withoutSeals(write.body) })),
    endsBefore: ended,
    supposing: recorder.supposing,
    looksAgainAfterMs,
  };
}

function definitionFor(resource: OrdinalResource, client: Client, recorder: Recorder): ControllerDefinition {
  const environment = readingEnvironment(resource, client, recorder);
  const found = kinds
    .flatMap((kind) => (kind.descriptor.kind === resource.kind ? kind.controllers(environment) : []))
    .find(({ primary }) => primary.kind === resource.kind);
  if (!found) throw new TypeError(`there is no controller of ${resource.kind}`);
  return found;
}

const contextOf = (
  recorder: Recorder,
  { client, clock }: { readonly client: Client; readonly clock: Clock },
): Round['context'] => ({
  ...{ client, clock, random: () => 0.5, log: recorder.log, signal: recorder.ending.signal, failures: 0 },
  events: {
    publish: ({ type, reason, note }) => recorder.add({ kind: 'event', what: `event ${type} ${reason}: ${note}` }),
  },
  outside: (call) => call(),
});

/** Reconciles until something is done to another object than the resource, or nothing is done any more. */
async function play(
  { definition, context, resource }: Round,
  objects: LocalObjects,
  { transport, recorder }: { readonly transport: PretendTransport; readonly recorder: Recorder },
): Promise<number | undefined> {
  const { namespace = '', name } = resource.metadata;
  let seen = objects;
  for (let round = 1; ; round += 1) {
    const before = transport.writes.length;
    let result: { readonly requeueAfterMs?: number } = {};
    try {
      result = await definition.reconcile({ namespace, name }, { ...context, cache: localReader(definition, seen) });
    } catch (error) {
      if (recorder.endsBefore === undefined)
        recorder.add({ kind: 'failure', what: error instanceof Error ? error.message : String(error) });
      else return undefined;
    }
    const written = transport.writes.slice(before);
    const own = pathOf(resource);
    const isOwn = written.length > 0 && written.every(({ path }) => path === own || path === `${own}/status`);
    if (!isOwn || round === maxRounds) return result.requeueAfterMs;
    seen = after(seen, transport.changed);
  }
}
