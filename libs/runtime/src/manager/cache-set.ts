import type { Client, Clock, Random, ResourceDescriptor, Selection } from '@ordinal/client';
import type { ControllerDefinition, WatchDeclaration } from '../builder/definition.ts';
import type { CacheBudget } from '../cache/budget.ts';
import { untilAborted } from '../controller/until-aborted.ts';
import { kindName } from '../cache/key.ts';
import { KindCache } from '../cache/kind-cache.ts';
import type { KindCacheOptions } from '../cache/kind-cache.ts';
import { keptOf, reading, union } from '../cache/projection.ts';
import type { Kept } from '../cache/projection.ts';
import type { WatchSource } from '../cache/reflector-options.ts';
import type { ReflectorTiming } from '../cache/timing.ts';

/** What the caches of a manager are made of. */
export interface CacheSetOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly timing: ReflectorTiming;
  readonly namespaces?: readonly string[];
  readonly budget: CacheBudget;
  readonly onFailure: KindCacheOptions['onFailure'];
  readonly onRestored: KindCacheOptions['onRestored'];
  readonly onWithheld: KindCacheOptions['onWithheld'];
}

interface Wanted {
  readonly descriptor: ResourceDescriptor;
  readonly selection: Selection;
  kept: Kept;
}

/** The caches that some definitions declare: one for each kind and selection, however many declare it, and none that was not declared. */
export class CacheSet {
  readonly #caches: ReadonlyMap<string, KindCache>;

  constructor(definitions: readonly ControllerDefinition[], options: CacheSetOptions) {
    const wanted = new Map<string, Wanted>();
    for (const { descriptor, selection } of definitions.flatMap(({ watches }) => watches)) {
      const kept = keptOf(descriptor);
      const before = wanted.get(identity({ descriptor, selection }));
      if (before === undefined) wanted.set(identity({ descriptor, selection }), { descriptor, selection, kept });
      else before.kept = union(before.kept, kept);
    }
    this.#caches = new Map([...wanted].map(([id, one]) => [id, makeCache(one, options)]));
  }

  /** All of them. */
  get all(): readonly KindCache[] {
    return [...this.#caches.values()];
  }

  /** Those that one definition declares, by `kindName`. */
  of(definition: ControllerDefinition): ReadonlyMap<string, KindCache> {
    const found = new Map<string, KindCache>();
    for (const watch of definition.watches) {
      const cache = this.#caches.get(identity(watch));
      if (cache !== undefined) found.set(kindName(watch.descriptor), cache);
    }
    return found;
  }

  /** Keeps all of them current until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.all.map((cache) => cache.run(signal)));
  }

  /** Lists everything again. */
  relist(): void {
    for (const cache of this.all) cache.relist();
  }

  /** Resolves when every cache is filled, or the signal is aborted. */
  async synced(signal: AbortSignal): Promise<void> {
    const filled = Promise.all(this.all.map((cache) => new Promise<void>((resolve) => cache.onSynced(resolve))));
    await Promise.race([filled, untilAborted(signal)]);
  }
}

function identity({ descriptor, selection }: Pick<WatchDeclaration, 'descriptor' | 'selection'>): string {
  return [kindName(descriptor), descriptor.version, selection.labelSelector ?? '', selection.fieldSelector ?? ''].join(
    '|',
  );
}

function makeCache({ descriptor: declared, selection, kept }: Wanted, options: CacheSetOptions): KindCache {
  const { client, namespaces, ...rest } = options;
  const { descriptor, project } = reading(declared, kept);
  const kind = client(descriptor);
  const sources: { readonly namespace?: string; readonly source: WatchSource }[] =
    namespaces === undefined || descriptor.scope === 'Cluster'
      ? [{ source: kind }]
      : namespaces.map((namespace) => ({ namespace, source: kind.namespace(namespace) }));
  return new KindCache({ ...rest, descriptor, selection, project, sources });
}
