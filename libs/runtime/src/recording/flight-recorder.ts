import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, ObjectKey, Transport, TransportReply, TransportRequest } from '@ordinal/client';
import type { ControllerDefinition } from '../builder/definition.ts';
import type { Reconcile, ReconcileContext } from '../reconciler.ts';
import type { NotedAnswer, NotedRequest } from './notes.ts';
import { Notes } from './notes.ts';
import { NotingReader } from './noting-reader.ts';
import type { Slot } from './slot.ts';

/** Takes in what was noted of a reconcile that has ended. Never throws, and does not wait. */
export type TakeSlot = (slot: Slot) => void;

/** More than this of a reply is not kept, in bytes: a reconcile that rests on one can't be replayed. */
const maxReplyBytes = 1_048_576;

/**
 * Notes of each reconcile what it observed, what it decided and what came of it, at the places where a reconcile touches the world: its context, the transport of
 * its client, and what its environment asks outside. No reconciler knows of it.
 *
 * **Guarantees.** Nothing that a reconcile sees or does is changed. What is noted are references: no copy is made and nothing is hashed, written or compressed while
 * a reconcile runs.
 */
export class FlightRecorder {
  readonly #slots = new AsyncLocalStorage<Slot | undefined>();
  readonly #take: TakeSlot;

  constructor(take: TakeSlot) {
    this.#take = take;
  }

  /** The same controller, recorded. */
  controller(definition: ControllerDefinition): ControllerDefinition {
    const reconcile: Reconcile = async (key, context) => {
      const slot = newSlot(definition, key, context);
      try {
        const result = await this.#slots.run(slot, () => definition.reconcile(key, noting(context, slot)));
        slot.result = result;
        return result;
      } catch (error) {
        slot.result = { error };
        slot.cutOff = context.signal.aborted;
        throw error;
      } finally {
        slot.tookMs = context.clock.now() - slot.at;
        slot.weight = 1_024 + slot.notes.weight;
        // Where there was nothing, nothing is to be said: a key of another kind, or of an object that is gone.
        if (slot.notes.hasContent || slot.result.error !== undefined) this.#take(slot);
      }
    };
    return { ...definition, reconcile };
  }

  /** The same transport: requests of a reconcile are noted, with the replies of reads and of what was refused. */
  transport(inner: Transport): Transport {
    return {
      send: (request) => {
        const slot = this.#slots.getStore();
        const sent = inner.send(request);
        return slot === undefined ? sent : notedReply(sent, request, slot);
      },
      connect: (request) => inner.connect(request),
      close: () => inner.close(),
    };
  }

  /** Makes a call to something outside, and notes under `of` what came back. What it sends to the API server is not noted beside. */
  async answer<Value>(of: string, call: () => Promise<Value>): Promise<Value> {
    const slot = this.#slots.getStore();
    if (slot === undefined) return call();
    try {
      const value = await this.#slots.run(undefined, call);
      noteAnswer(slot, { of, value });
      return value;
    } catch (error) {
      noteAnswer(slot, { of, error });
      throw error;
    }
  }

  /** The same for what is answered at once. `shown`: what of it is noted. */
  answerNow<Value>(of: string, call: () => Value, shown: (value: Value) => unknown = (value) => value): Value {
    const slot = this.#slots.getStore();
    try {
      const value = call();
      if (slot) noteAnswer(slot, { of, value: shown(value) });
      return value;
    } catch (error) {
      if (slot) noteAnswer(slot, { of, error });
      throw error;
    }
  }
}

const newSlot = (
  definition: ControllerDefinition,
  key: ObjectKey,
  { clock, failures, restoredAt }: ReconcileContext,
): Slot => ({
  definition,
  key,
  clock,
  at: clock.now(),
  failures,
  restoredAt,
  notes: new Notes(),
  tookMs: 0,
  result: nothing,
  cutOff: false,
  weight: 0,
});

/** What a reconcile has come to that has not ended. */
const nothing = Object.freeze({});

function noteAnswer({ notes }: Slot, answer: NotedAnswer): void {
  notes.add('answer', answer);
  notes.weigh(bodyLength(answer.value));
}

function bodyLength(value: unknown): number {
  if (typeof value !== 'object' || value === null || !('body' in value)) return 128;
  return typeof value.body === 'string' ? value.body.length : 128;
}

/** The context of a reconcile that notes in the slot what is taken from it. */
function noting(context: ReconcileContext, slot: Slot): ReconcileContext {
  const { clock, random, decided, outside } = context;
  const { notes } = slot;
  let calls = 0;
  return {
    ...context,
    cache: new NotingReader(context.cache, notes),
    clock: notingClock(clock, notes),
    random: () => {
      const value = random();
      notes.add('random', value);
      return value;
    },
    outside: async (call, options) => {
      const of = `place ${(calls += 1)}`;
      let hasPlace = false;
      const placed = (): ReturnType<typeof call> => {
        hasPlace = true;
        return call();
      };
      try {
        return await outside(placed, options);
      } catch (error) {
        if (!hasPlace) noteAnswer(slot, { of, error });
        throw error;
      }
    },
    decided: (decision) => {
      notes.add('decision', decision);
      return decided?.(decision) ?? true;
    },
  };
}

const notingClock = (clock: Clock, notes: Notes): Clock => ({
  now: () => {
    const now = clock.now();
    notes.add('time', now);
    return now;
  },
  after: (delayMs, action) => clock.after(delayMs, action),
});

/** The same reply, noted. One promise more and no other: every request of an operator that records takes this way. */
function notedReply(
  sent: Promise<TransportReply>,
  { method, path }: TransportRequest,
  slot: Slot,
): Promise<TransportReply> {
  const { notes, clock, at } = slot;
  const noted: NotedRequest = {
    method,
    path,
    sentMs: clock.now() - at,
    repliedMs: undefined,
    status: undefined,
    chunks: undefined,
    bytes: 0,
    error: undefined,
  };
  notes.add('request', noted);
  return sent.then(
    (reply) => {
      noted.repliedMs = clock.now() - at;
      noted.status = reply.status;
      return method === 'GET' || reply.status >= 400 ? listenedTo(reply, noted, notes) : reply;
    },
    (error: unknown) => {
      noted.repliedMs = clock.now() - at;
      noted.error = error;
      throw error;
    },
  );
}

/** The reply, whose body is noted as it is read. */
function listenedTo(reply: TransportReply, noted: NotedRequest, notes: Notes): TransportReply {
  const listen = async function* (): AsyncIterable<Uint8Array> {
    for await (const chunk of reply.body) {
      noted.bytes += chunk.length;
      notes.weigh(chunk.length);
      if (noted.bytes <= maxReplyBytes) (noted.chunks ??= []).push(chunk);
      yield chunk;
    }
  };
  return { ...reply, body: listen() };
}
