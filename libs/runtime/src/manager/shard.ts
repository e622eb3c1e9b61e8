import type { ControllerDefinition, WatchDeclaration } from '../builder/definition.ts';
import type { Shard } from './manager.ts';

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
