import type { Clock, Transport } from '@ordinal/client';
import { stringify } from 'yaml';
import type { GateAsker } from '../checks/gate-asker.ts';
import type { Connection } from '../cluster/connect.ts';
import { readAround } from '../cluster/read.ts';
import { surroundingsOf } from '../cluster/surroundings.ts';
import { CommandError, exitCodes } from '../failure.ts';
import type { OrdinalResource } from '../kinds.ts';
import { descriptorOf } from '../kinds.ts';
import { asApplied, resourcesIn } from '../plan/file.ts';
import { planFor } from '../plan/plan.ts';
import { writeIntent } from '../verbs/write.ts';
import { intentOf } from './actions.ts';
import type { Answer, Question } from './server.ts';
import type { Source } from './stream.ts';
import { Overview, streamOf } from './stream.ts';
import type { Hello, PlanAnswer, WhatIfAnswer } from './wire.ts';
import { keyOf } from './views.ts';

/** What the console answers with. */
export interface Answering {
  /** Through the transport that sends what the console may send, and nothing else. */
  readonly connection: Connection;
  /** For the plan of a resource, which reads the Secrets that it names. */
  readonly planning: (resource: OrdinalResource) => Transport;
  readonly source: Source;
  readonly clock: Clock;
  readonly gates: GateAsker;
  readonly hello: Hello;
}

/** The most histories with faults that the page may ask for. */
const mostFaults = 100;

const notFound = (what: string): Answer => ({ status: 404, json: { error: what } });

function resourceIn({ source }: Answering, key: string): OrdinalResource | undefined {
  return source.now().resources.find((each) => keyOf(each) === key);
}

type Fields = Readonly<Record<string, unknown>>;

/** A field of a question. Throws a `CommandError` where it is not of its type. */
function field<Type extends 'string' | 'number'>(body: unknown, name: string, type: Type) {
  const value = typeof body === 'object' && body !== null ? (body as Fields)[name] : undefined;
  if (typeof value !== type) throw new CommandError(`${name} has to be a ${type}`, exitCodes.usage);
  return value as Type extends 'string' ? string : number; // As was looked at.
}

/** What `kubectl apply` would take: no status, and nothing that the API server adds. */
function manifestOf({ apiVersion, kind, metadata, spec }: OrdinalResource): string {
  const { name, namespace } = metadata;
  return stringify({ apiVersion, kind, metadata: { name, namespace }, spec });
}

/** What the page gets of a plan: not the writes, which may have the values of Secrets in them. */
async function plan(resource: OrdinalResource, { clock, planning }: Answering): Promise<Answer> {
  const { writes: _, ...shown } = await planFor(resource, { transport: planning(resource), clock });
  const json: PlanAnswer = shown;
  return { status: 200, json };
}

/** One at a time: each takes a processor for as long as it takes. */
class Plays {
  #isBusy = false;

  async one<T>(play: () => Promise<T>): Promise<T> {
    if (this.#isBusy) throw new CommandError('another what-if is being played: wait for its end', exitCodes.usage);
    this.#isBusy = true;
    try {
      return await play();
    } finally {
      this.#isBusy = false;
    }
  }
}

async function whatIf(body: unknown, { connection, clock }: Answering): Promise<Answer> {
  const text = field(body, 'manifest', 'string');
  const faults = field(body, 'faults', 'number');
  if (!Number.isInteger(faults) || faults < 0 || faults > mostFaults)
    throw new CommandError(`faults has to be a whole number up to ${mostFaults}`, exitCodes.usage);
  const wanted = await Promise.all(resourcesIn(text).map((object) => asApplied(object, { ...connection, clock })));
  // The simulated cluster is loaded by this alone.
  const { predict, behaviourIn, defaultSeed } = await import('../what-if/index.ts');
  const asked = faults === 0 ? undefined : { count: faults, seed: defaultSeed };
  const json: WhatIfAnswer = await predict(
    { wanted, behaviour: behaviourIn(''), faults: asked },
    connection.client,
    clock,
  );
  return { status: 200, json };
}

async function act(body: unknown, answering: Answering): Promise<Answer> {
  const { connection, clock, hello } = answering;
  const [key, verb, does] = [
    field(body, 'key', 'string'),
    field(body, 'verb', 'string'),
    field(body, 'does', 'string'),
  ];
  if (!hello.canWrite)
    return { status: 403, json: { error: 'the console only reads: begin it with --write, or use the command' } };
  const known = resourceIn(answering, key);
  if (!known) return notFound(`there is no resource ${key} here`);
  const { name, namespace = '' } = known.metadata;
  const { client } = connection;
  // Read afresh: what is decided by has to be what is there.
  const { resource, contents } = await readAround({ descriptor: descriptorOf(known), name }, { client, namespace });
  const intent = intentOf(verb, surroundingsOf(resource, contents), clock.now());
  if ('refuses' in intent)
    return { status: 409, json: { error: `${verb} would do nothing now: ${intent.refuses}; nothing was written` } };
  // A backup is called after the time.
  if (intent.does.replace(/\d{8}t\d{6}z/, '') !== does.replace(/\d{8}t\d{6}z/, ''))
    return { status: 409, json: { error: `it has changed meanwhile: this now ${intent.does}; nothing was written` } };
  await writeIntent(intent, resource, { client, namespace });
  return { status: 200, json: { does: intent.does } };
}

/** Answers the questions of the page. */
export function answersOf(answering: Answering): (question: Question) => Promise<Answer> {
  const { source, clock, gates, hello } = answering;
  const overview = new Overview(source, clock);
  // While no page waits: the first look at hundreds of resources takes several times as long as the next.
  overview.rows();
  const plays = new Plays();
  return async ({ method, path, query, body, signal }) => {
    const key = query.get('of') ?? undefined;
    const route = `${method} ${path}`;
    if (route === 'GET /api/live')
      return { stream: streamOf({ source, overview, gates, clock, hello, of: key, signal }) };
    if (route === 'POST /api/act') return act(body, answering);
    if (route === 'POST /api/what-if') return plays.one(() => whatIf(body, answering));
    if (route !== 'GET /api/plan' && route !== 'GET /api/manifest') return notFound(`there is no ${route}`);
    const resource = resourceIn(answering, key ?? '');
    if (!resource) return notFound(`there is no resource ${key ?? ''} here`);
    return route === 'GET /api/plan'
      ? plan(resource, answering)
      : { status: 200, json: { text: manifestOf(resource) } };
  };
}
