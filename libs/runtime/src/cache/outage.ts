import type { ReflectorOptions } from './reflector-options.ts';
import { kindName } from './key.ts';
import { codeOf, messageOf } from './watch-failure.ts';
import type { WatchFailure } from './watch-failure.ts';

/** What keeps a reflector from being current. It is reported when it begins, when it becomes another one, and when it is over. */
export class Outage {
  readonly #options: Pick<ReflectorOptions, 'descriptor' | 'namespace' | 'clock' | 'onFailure'>;
  #failure: WatchFailure | undefined;

  constructor(options: Pick<ReflectorOptions, 'descriptor' | 'namespace' | 'clock' | 'onFailure'>) {
    this.#options = options;
  }

  /** The present one; undefined while all is well. */
  get failure(): WatchFailure | undefined {
    return this.#failure;
  }

  /** Notes that a request of this verb has failed. */
  failed(verb: WatchFailure['verb'], error: unknown): void {
    const { descriptor, namespace, clock, onFailure } = this.#options;
    const before = this.#failure;
    const failure: WatchFailure = {
      kind: kindName(descriptor),
      ...(namespace !== undefined && { namespace }),
      verb,
      code: codeOf(error),
      message: messageOf(error),
      since: before?.since ?? clock.now(),
    };
    this.#failure = failure;
    if (before === undefined || before.code !== failure.code || before.verb !== failure.verb) onFailure(failure, error);
  }

  /** Notes that the server has answered. */
  over(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#options.onFailure(undefined);
  }
}
