import { createSecretKey } from 'node:crypto';
import { isApiError, secrets, sleep } from '@ordinal/client';
import type { Client, Clock, Secret } from '@ordinal/client';
import type { SealKey, Seals } from '@ordinal/lifecycle';
import type { Logger } from '@ordinal/runtime';

/** Where the keys are kept. */
export interface SealKeyControllerOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The Secret that all replicas share. It is made when it is not there. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** A new key: 32 random bytes. */
  readonly newKey: () => SealKey;
  readonly mistrusted?: (kind: string) => void;
  /** False where nothing may be written: where there is no Secret, the key is this process's own. */
  readonly makesSecret?: boolean;
}

/** In the Secret: the keys in base64, one a line. The first one seals, all of them verify. */
const field = 'keys';

/** How often the keys are looked at, in milliseconds, and how long after a failure. */
const lookEveryMs = 60_000;
const retryMs = 10_000;

/** No look for a status that is not believed comes sooner after another one, in milliseconds. */
const renewEveryMs = 1_000;

/** Shorter ones are refused, in bytes. */
const shortest = 32;

/**
 * Keeps the keys by which the operator knows what it has written, in a Secret of its own namespace that it makes once.
 *
 * **Guarantees.** Of replicas that make the Secret at the same time all use the one that is stored. A Secret that is deleted while a replica runs comes back with the same keys.
 */
export class SealKeyController implements Seals {
  readonly #options: SealKeyControllerOptions;
  #keys: readonly SealKey[] = [];
  #lookedAt = -Infinity;

  constructor(options: SealKeyControllerOptions) {
    this.#options = options;
  }

  readonly keys = (): readonly SealKey[] => this.#keys;
  readonly mistrusted = (kind: string): void => this.#options.mistrusted?.(kind);

  /** Looks at the Secret once more. That it can't be read is logged: the keys that are known go on to count. */
  readonly renew = async (): Promise<void> => {
    if (this.#options.clock.now() - this.#lookedAt < renewEveryMs) return;
    await this.#look();
  };

  /** Resolves when there is a key; tries again and again, and says in the log what is in the way. Rejects when the signal is aborted. */
  async ready(signal: AbortSignal): Promise<void> {
    while (!(await this.#look())) await sleep(this.#options.clock, retryMs, signal);
  }

  /** Keeps the keys as the Secret has them until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#options.clock, lookEveryMs, signal).catch(() => undefined);
      if (!signal.aborted) await this.#look();
    }
  }

  async #look(): Promise<boolean> {
    const { client, clock, log, secret } = this.#options;
    this.#lookedAt = clock.now();
    try {
      const found = await client(secrets).namespace(secret.namespace).find(secret.name);
      if (found) this.#take(found);
      else await this.#begin();
      return true;
    } catch (error) {
      const message = `the Secret ${secret.namespace}/${secret.name}, whose key seals what the operator remembers, can’t be kept`;
      log.error({ error: error instanceof Error ? error.message : String(error) }, message);
      return false;
    }
  }

  async #begin(): Promise<void> {
    const { makesSecret = true, newKey } = this.#options;
    if (makesSecret) this.#take(await this.#make());
    else if (this.#keys.length === 0) this.#keys = [newKey()];
  }

  async #make(): Promise<Secret> {
    const { client, secret, newKey } = this.#options;
    const resource = client(secrets).namespace(secret.namespace);
    const keys = this.#keys.length > 0 ? this.#keys : [newKey()];
    const lines = keys.map((key) => key.export().toString('base64')).join('\n');
    const data = { [field]: Buffer.from(lines).toString('base64') };
    const metadata = { name: secret.name, namespace: secret.namespace };
    try {
      return await resource.create({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data });
    } catch (error) {
      // Another replica was faster: its key is the one.
      if (isApiError(error, 'AlreadyExists')) return await resource.get(secret.name);
      throw error;
    }
  }

  #take({ data }: Secret): void {
    const text = Buffer.from(data?.[field] ?? '', 'base64').toString('utf8');
    const keys = text.split(/\s+/).flatMap((line) => (line === '' ? [] : [Buffer.from(line, 'base64')]));
    if (keys.length === 0 || keys.some(({ length }) => length < shortest))
      throw new TypeError(`its field ${field} has no key, or one of fewer than ${shortest} bytes: delete the Secret`);
    this.#keys = keys.map((key) => createSecretKey(key));
  }
}
