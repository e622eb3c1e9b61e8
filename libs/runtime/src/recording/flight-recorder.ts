import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, ObjectKey, Transport, TransportReply, TransportRequest } from '@ordinal/client';
import type { ControllerDefinition } from '../builder/definition.ts';
import type { Reconcile, ReconcileContext } from '../reconciler.ts';
import { notingReader } from './noting-reader.ts';
import type { NotedRequest, Slot } from './slot.ts';

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
        // Where there was nothing, nothing is to be said: a key of another kind, or of an object that is gone.
        if (slot.seen.length + slot.decisions.length > 0 || slot.result.error !== undefined) this.#take(slot);
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
      slot.answers.push({ of, value });
      return value;
    } catch (error) {
      slot.answers.push({ of, error });
      throw error;
    }
  }

  /** The same for what is answered at once. `shown`: what of it is noted. */
  answerNow<Value>(of: string, call: () => Value, shown: (value: Value) => unknown = (value) => value): Value {
    const slot = this.#slots.getStore();
    try {
      const value = call();
      slot?.answers.push({ of, value: shown(value) });
      return value;
    } catch (error) {
      slot?.answers.push({ of, error });
      throw error;
    }
  }
}

const newSlot = (
  { name: controller, primary }: ControllerDefinition,
  key: ObjectKey,
  { clock, failures, restoredAt }: ReconcileContext,
): Slot => ({
  ...{ controller, primary, now: () => clock.now(), key, at: clock.now(), failures, restoredAt },
  ...{ asked: [], seen: [], counted: [], times: [], random: [], requests: [], answers: [], decisions: [] },
  ...{ tookMs: 0, result: {}, cutOff: false },
});

/** The context of a reconcile that notes in the slot what is taken from it. */
function noting(context: ReconcileContext, slot: Slot): ReconcileContext {
  const { clock, random, decided, outside } = context;
  let calls = 0;
  return {
    ...context,
    cache: notingReader(context.cache, slot),
    clock: notingClock(clock, slot),
    random: () => {
      const value = random();
      slot.random.push(value);
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
        if (!hasPlace) slot.answers.push({ of, error });
        throw error;
      }
    },
    decided: (decision) => {
      slot.decisions.push(decision);
      return decided?.(decision) ?? true;
    },
  };
}

const notingClock = (clock: Clock, { times }: Slot): Clock => ({
  now: () => {
    const now = clock.now();
    times.push(now);
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
  const noted: NotedRequest = { method, path, at: slot.now(), chunks: [], bytes: 0 };
  slot.requests.push(noted);
  return sent.then(
    (reply) => {
      noted.repliedAt = slot.now();
      noted.status = reply.status;
      return method === 'GET' || reply.status >= 400 ? listenedTo(reply, noted) : reply;
    },
    (error: unknown) => {
      noted.repliedAt = slot.now();
      noted.error = error;
      throw error;
    },
  );
}

/** The reply, whose body is noted as it is read. */
function listenedTo(reply: TransportReply, noted: NotedRequest): TransportReply {
  const listen = async function* (): AsyncIterable<Uint8Array> {
    for await (const chunk of reply.body) {
      noted.bytes += chunk.length;
      if (noted.bytes <= maxReplyBytes) noted.chunks.push(chunk);
      yield chunk;
    }
  };
  return { ...reply, body: listen() };
}
