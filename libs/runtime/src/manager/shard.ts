import type { ControllerDefinition, WatchDeclaration } from '../builder/definition.ts';

/**
 * A part of all objects, by their labels. Shards that do not overlap can be worked on by several operators at a time, each with a lease of its own.
 */
export interface Shard {
  /** Which objects of the controllers' own kinds: `ordinal.dev/shard=3`. Their caches hold no others. */
  readonly labelSelector: string;
  /** True where children carry the label too, so that their caches can be scoped as well. */
  readonly children?: boolean;
}

/** The definition, reading only what is in the shard, unless it is for all of them. */
export function inShard(definition: ControllerDefinition, shard: Shard | undefined): ControllerDefinition {
  if (shard === undefined || definition.options.everyShard === true) return definition;
  const narrowed = (watch: WatchDeclaration): WatchDeclaration => {
    if (watch.use !== 'for' && !(watch.use === 'owns' && shard.children === true)) return watch;
    const both = [watch.selection.labelSelector, shard.labelSelector].filter((selector) => selector !== undefined);
    return { ...watch, selection: { ...watch.selection, labelSelector: both.join(',') } };
  };
  return { ...definition, watches: definition.watches.map(narrowed) };
}
