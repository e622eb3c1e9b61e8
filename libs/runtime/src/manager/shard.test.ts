import { describe, expect, it } from 'vitest';
import { awaitChange, controller } from '../index.ts';
import { parts, widgets } from '../../test/world.ts';
import { inShard } from './shard.ts';

const definition = controller('a')
  .for(widgets, { labelSelector: 'team=blue' })
  .owns(parts)
  .reconcile(async () => awaitChange());
const selectors = (children?: boolean): readonly (string | undefined)[] =>
  inShard(definition, { labelSelector: 'shard in (1,2)', ...(children !== undefined && { children }) }).watches.map(
    ({ selection }) => selection.labelSelector,
  );

describe('a shard', () => {
  it('narrows the controller’s own kind, beside what it selects itself', () => {
    expect(selectors()).toEqual(['team=blue,shard in (1,2)', undefined]);
  });

  it('narrows the children where they carry the label', () => {
    expect(selectors(true)).toEqual(['team=blue,shard in (1,2)', 'shard in (1,2)']);
  });

  it('leaves everything as it is where there is none', () => {
    expect(inShard(definition, undefined)).toBe(definition);
  });
});
