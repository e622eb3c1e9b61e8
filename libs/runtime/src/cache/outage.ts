import type { ReflectorOptions } from './reflector-options.ts';
import { kindName } from './key.ts';
import { codeOf, messageOf } from './trouble.ts';
import type { WatchTrouble } from './trouble.ts';

/** What keeps a reflector from being current. It is reported when it begins, when it becomes another one, and when it is over. */
export class Outage {
  readonly #options: Pick<ReflectorOptions, 'descriptor' | 'namespace' | 'clock' | 'onTrouble'>;
  #trouble: WatchTrouble | undefined;

  constructor(options: Pick<ReflectorOptions, 'descriptor' | 'namespace' | 'clock' | 'onTrouble'>) {
    this.#options = options;
  }

  /** The present one; undefined while all is well. */
  get trouble(): WatchTrouble | undefined {
    return this.#trouble;
  }

  /** Notes that a request of this verb has failed. */
  failed(verb: WatchTrouble['verb'], error: unknown): void {
    const { descriptor, namespace, clock, onTrouble } = this.#options;
    const before = this.#trouble;
    const trouble: WatchTrouble = {
      kind: kindName(descriptor),
      ...(namespace !== undefined && { namespace }),
      verb,
      code: codeOf(error),
      message: messageOf(error),
      since: before?.since ?? clock.now(),
    };
    this.#trouble = trouble;
    if (before === undefined || before.code !== trouble.code || before.verb !== trouble.verb) onTrouble(trouble, error);
  }

  /** Notes that the server has answered. */
  over(): void {
    if (this.#trouble === undefined) return;
    this.#trouble = undefined;
    this.#options.onTrouble(undefined);
  }
}
