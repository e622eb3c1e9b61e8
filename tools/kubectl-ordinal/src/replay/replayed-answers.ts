import { ApiError, TransportError } from '@ordinal/client';
import type { Status } from '@ordinal/client';
import type { ExternalErrorCode, ExternalSystem, ExternalView } from '@ordinal/lifecycle';
import { ExternalError } from '@ordinal/lifecycle';
import type { KindEnvironment, RecordedSystem } from '@ordinal/reconcilers';
import { questions } from '@ordinal/reconcilers';
import { RuntimeError } from '@ordinal/runtime';
import type { RuntimeErrorCode } from '@ordinal/runtime';
import type { RecordedAnswer, RecordedError } from '@ordinal/runtime/recording';
import { ownSeals } from '../plan/believed.ts';

/** An error of a recording, to be thrown again. */
export function errorOf({ name, message, code = '', applied, retryAfterMs, unsent, status }: RecordedError): Error {
  // Codes and statuses are of the classes that the names say.
  if (name === 'ExternalError')
    return new ExternalError(code as ExternalErrorCode, message, {
      ...(applied === 'no' && { applied }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  if (name === 'RuntimeError') return new RuntimeError(code as RuntimeErrorCode, message);
  if (name === 'TransportError')
    return new TransportError(code as TransportError['code'], message, { unsent: unsent === true });
  if (name === 'ApiError') return Object.assign(new ApiError(status as Status, ''), { message });
  return Object.assign(new Error(message), { name });
}

/** The answers of one reconcile, each given as often as it was, in the order in which they came; the last one again where it is asked on. */
export class Answers {
  readonly #left = new Map<string, RecordedAnswer[]>();
  readonly #missing: (of: string) => void;

  /** `missing` is called with each question that was not asked in the recording. */
  constructor(answers: readonly RecordedAnswer[], missing: (of: string) => void) {
    for (const answer of answers) this.#left.set(answer.of, [...(this.#left.get(answer.of) ?? []), answer]);
    this.#missing = missing;
  }

  /** What was answered. Throws what was thrown. */
  take(of: string): unknown {
    const list = this.#left.get(of);
    const answer = list !== undefined && list.length > 1 ? list.shift() : list?.[0];
    if (answer === undefined) {
      this.#missing(of);
      throw new ExternalError('Unreachable', `${of} was not asked in the recording`);
    }
    if (answer.error) throw errorOf(answer.error);
    return answer.value;
  }

  /** The failure of the nth call to get a place, where it got none. */
  refusedPlace(n: number): Error | undefined {
    const error = this.#left.get(`place ${n}`)?.[0]?.error;
    return error && errorOf(error);
  }
}

function replayedSystem<View extends ExternalView>(
  where: string,
  { traits, findsByName }: RecordedSystem,
  answers: () => Answers,
): ExternalSystem<never, View> {
  // Each is what the same question was answered with.
  const answer = async <Value>(verb: string, what: string): Promise<Value> =>
    Promise.resolve(answers().take(questions.call(where, verb, what)) as Value);
  return {
    traits,
    get: (id) => answer('get', id),
    findByOwner: (owner) => answer('findByOwner', owner),
    ...(findsByName && { findByName: (name: string) => answer<View | undefined>('findByName', name) }),
    create: ({ owner }) => answer('create', owner),
    update: (id) => answer('update', id),
    delete: ({ id }) => answer('delete', id),
  };
}

/** What the controllers of a replay reach the world with: the answers of the reconcile that is replayed now. */
export function replayedEnvironment(answers: () => Answers): KindEnvironment {
  return {
    probes: {
      // Each is what the same question was answered with.
      http: async (pod, check) =>
        Promise.resolve(
          answers().take(questions.http(pod, check)) as { readonly status: number; readonly body: string },
        ),
      exec: async (pod, command) =>
        Promise.resolve(
          answers().take(questions.exec(pod, command)) as { readonly exitCode: number; readonly output: string },
        ),
    },
    seals: ownSeals,
    monitors: {
      at(endpoint) {
        const of = questions.monitor(endpoint);
        return replayedSystem(of, answers().take(of) as RecordedSystem, answers);
      },
    },
    providers: {
      resolve(_description, namespace) {
        const of = questions.provider(namespace);
        const system = answers().take(of) as RecordedSystem;
        return { account: system.account ?? '', system: replayedSystem(of, system, answers) };
      },
    },
    newPassword: () => (answers().take(questions.password) as { readonly password: string }).password,
  };
}
