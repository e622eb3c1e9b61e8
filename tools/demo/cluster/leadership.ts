import type { Client, Pod } from '@ordinal/client';
import { pods } from '@ordinal/client';
import { isReady } from '../pods.ts';
import { names, roleLabel } from '../samples.ts';

const lookEveryMs = 100;

/** Which member of the cache leads. Members that serve show it by a label on their pods. */
export class Leadership {
  readonly #pods;
  readonly #timer: NodeJS.Timeout;
  #leader = `${names.cache}-0`;

  constructor(client: Client, namespace: string) {
    this.#pods = client(pods).namespace(namespace);
    this.#timer = setInterval(() => void this.#label().catch(() => undefined), lookEveryMs); // A pod that has gone meanwhile: the next look is due soon.
  }

  /** Makes the last other member that serves the leader, where this one leads. Resolves when the labels say so. */
  async handOver(member: string): Promise<void> {
    if (member !== this.#leader) return;
    this.#leader =
      (await this.#serving()).findLast(({ metadata }) => metadata.name !== member)?.metadata.name ?? member;
    await this.#label();
  }

  /** Ends the looking. */
  close(): void {
    clearInterval(this.#timer);
  }

  async #serving(): Promise<readonly Pod[]> {
    const { items } = await this.#pods.list();
    return items
      .filter((pod) => pod.metadata.name.startsWith(`${names.cache}-`) && isReady(pod))
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  async #label(): Promise<void> {
    for (const { metadata } of await this.#serving()) {
      const role = metadata.name === this.#leader ? 'leader' : 'replica';
      if (metadata.labels?.[roleLabel] === role) continue;
      await this.#pods.patch(metadata.name, { type: 'merge', body: { metadata: { labels: { [roleLabel]: role } } } });
    }
  }
}
