import { secrets } from '@ordinal/client';
import type { Client, Clock, Timer } from '@ordinal/client';
import { ExternalError } from '@ordinal/lifecycle';
import type { Logger } from '@ordinal/runtime';
import type { ProviderDescription } from './providers/index.ts';

/** How often the Secret is read, in milliseconds. It may be made, or get another password, while the operator runs. */
const readAgainMs = 30_000;

/** What a default account is read with. */
export interface DefaultAccountOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** `NAMESPACE/NAME`; empty where there is none. */
  readonly place: string;
}

/**
 * The provider account of databases that name none, as its Secret describes it. It is read at the start and every half a minute. Where the Secret is missing or can't be
 * read, databases wait with that reason, and nothing else does: what was read last stays as long as it is not known to be gone. Databases look again as often, since no watch
 * of the Secret wakes them.
 */
export class DefaultAccount {
  readonly #options: DefaultAccountOptions;
  #description: ProviderDescription | undefined;
  #failure = '';
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: DefaultAccountOptions) {
    this.#options = options;
  }

  /** Reads the Secret now, and from now on again and again. Resolves when it was tried once; it never rejects. */
  async start(): Promise<void> {
    if (this.#options.place === '') return;
    await this.#read();
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.after(readAgainMs, () => void this.start());
  }

  /**
   * The description; undefined where no Secret is named.
   *
   * @throws ExternalError with code `Refused`, which says what is the matter with the Secret, and when it will have been read again.
   */
  current(): ProviderDescription | undefined {
    if (this.#options.place === '' || this.#description !== undefined) return this.#description;
    throw new ExternalError('Refused', this.#failure, { applied: 'no', retryAfterMs: readAgainMs });
  }

  /** Reads it no more. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #read(): Promise<void> {
    const { client, place } = this.#options;
    const [namespace = '', name = ''] = place.split('/');
    try {
      const secret = await client(secrets).namespace(namespace).find(name);
      if (secret === undefined) {
        this.#description = undefined;
        this.#report(`--provider-secret names ${place}, and there is no such Secret: create it`);
        return;
      }
      const decoded = (value: string): string => Buffer.from(value, 'base64').toString('utf8');
      const entries = Object.entries(secret.data ?? {}).map(([key, value]) => [key, decoded(value)] as const);
      this.#description = Object.fromEntries(entries);
      this.#failure = '';
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#report(`the Secret ${place}, which --provider-secret names, can't be read: ${why}`);
    }
  }

  #report(problem: string): void {
    if (problem !== this.#failure) this.#options.log.error({ secret: this.#options.place }, problem);
    this.#failure = problem;
  }
}
