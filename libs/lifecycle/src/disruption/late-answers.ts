import type { Clock } from '@ordinal/client';
import type { RolloutAnswer } from '../rollout/index.ts';

/** How long an answer that came too late counts for the next request, in milliseconds. `kubectl drain` tries again every five seconds. */
export const keptMs = 15_000;

/** How long a question is awaited at most, in milliseconds: for a place to ask from, and for the answer. */
const longestMs = 120_000;

/** How a question is put for one request. */
export interface LatePut {
  /** Puts the question. Its signal outlives the request. */
  readonly ask: (signal: AbortSignal) => Promise<RolloutAnswer>;
  /** Ends the request, and not the question. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

interface Asked {
  readonly answer: Promise<RolloutAnswer>;
  /** How many requests wait for it in time. */
  waiting: number;
  /** What came when no request waited for it any more. */
  late?: RolloutAnswer;
}

const tooLate: RolloutAnswer = { ok: false, silent: true, message: 'no answer yet: the operator keeps asking' };

/**
 * Answers that come later than an API server waits for its webhook. The question goes on when the request is over, and the next request for the same member finds the answer.
 *
 * **Guarantees.** An answer that came in time counts for the requests that waited for it and for no other. One that came too late counts for fifteen seconds; a no once. The same question is
 * under way once at a time. Nothing is kept longer than that.
 *
 * **Assumptions.** The key shows all on which the answer depends, so that what has changed meanwhile is asked again.
 */
export class LateAnswers {
  readonly #asked = new Map<string, Asked>();

  /** Asks, or takes what was asked before. Never rejects where `ask` does not. */
  async put(key: string, { ask, signal, clock }: LatePut): Promise<RolloutAnswer> {
    const asked = this.#asked.get(key) ?? this.#begin(key, ask, clock);
    if (asked.late) {
      if (!asked.late.ok) this.#asked.delete(key);
      return asked.late;
    }
    const over = new Promise<RolloutAnswer>((resolve) => {
      if (signal.aborted) resolve(tooLate);
      signal.addEventListener('abort', () => resolve(tooLate), { once: true });
    });
    asked.waiting += 1;
    const answer = await Promise.race([asked.answer, over]);
    asked.waiting -= 1;
    return answer;
  }

  #begin(key: string, ask: LatePut['ask'], clock: Clock): Asked {
    const ending = new AbortController();
    const timer = clock.after(longestMs, () => ending.abort(new Error(`nothing within ${longestMs / 1000} s`)));
    const answer = ask(ending.signal).finally(() => timer.cancel());
    const asked: Asked = { answer, waiting: 0 };
    this.#asked.set(key, asked);
    const forget = (): void => {
      if (this.#asked.get(key) === asked) this.#asked.delete(key);
    };
    answer.then((late) => {
      if (asked.waiting > 0) return forget();
      asked.late = late;
      clock.after(keptMs, forget);
    }, forget);
    return asked;
  }
}
