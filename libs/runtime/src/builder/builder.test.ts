import { describe, expect, expectTypeOf, it } from 'vitest';
import { metadataOnly } from '@ordinal/client';
import type { ReadForm } from '@ordinal/client';
import { awaitChange, controller, mapByIndex, owner, withFields } from '../index.ts';
import type { ControllerDefinition } from '../index.ts';
import { parts, widgets } from '../../test/world.ts';

const reconcile = async () => awaitChange();

describe('the builder', () => {
  it('keeps what was built before when it goes on', () => {
    const base = controller('a').for(widgets);
    base.owns(parts);
    expect(base.reconcile(reconcile).watches).toHaveLength(1);
  });

  it('refuses a kind that is declared twice, and names that no metric could have', () => {
    expect(() => controller('a').for(widgets).reads(widgets)).toThrow(/widgets/);
    expect(() => controller('Not A Name')).toThrow(TypeError);
  });

  it('wakes the object of its kind that controls another one where that is said, and the other one itself', () => {
    const ownerReferences = [
      { apiVersion: 'example.com/v1', kind: widgets.kind, name: 'one', uid: 'u', controller: true },
    ];
    const metadata = {
      name: 'two',
      namespace: 'a',
      uid: 'v',
      resourceVersion: '1',
      creationTimestamp: '',
      ownerReferences,
    };
    const object = { apiVersion: 'example.com/v1', kind: widgets.kind, metadata };
    const namesOf = (definition: ControllerDefinition) =>
      [
        ...(definition.watches[0]?.handler?.(object, { primary: widgets, cache: new Proxy({}, {}) as never }) ?? []),
      ].map(({ name }) => name);
    expect(namesOf(controller('a').for(widgets).reconcile(reconcile))).toEqual(['two']);
    expect(namesOf(controller('a').for(widgets, { alsoWakes: owner }).reconcile(reconcile))).toEqual(['two', 'one']);
  });

  it('says what is read and written', () => {
    const definition = controller('a')
      .for(widgets)
      .owns(metadataOnly(parts))
      .writes(parts, ['create', 'delete'])
      .writes(widgets, ['patch'], 'status')
      .reconcile(reconcile);
    expect(definition.watches.map(({ use, descriptor }) => [use, descriptor.plural])).toEqual([
      ['for', 'widgets'],
      ['owns', 'configmaps'],
    ]);
    expect(
      definition.writes.map(({ descriptor, verbs, subresource }) => [descriptor.plural, verbs, subresource]),
    ).toEqual([
      ['configmaps', ['create', 'delete'], undefined],
      ['widgets', ['patch'], 'status'],
      ['widgets', ['update'], 'finalizers'],
    ]);
  });

  it('may write finalizers of its kind where it makes what it owns, as OwnerReferencesPermissionEnforcement asks', () => {
    const finalizers = ({ writes }: ControllerDefinition) =>
      writes.filter(({ subresource }) => subresource === 'finalizers').map(({ verbs }) => verbs);
    const owner = controller('a').for(widgets).owns(parts);
    expect(finalizers(owner.writes(parts, ['create']).reconcile(reconcile))).toEqual([['update']]);
    expect(finalizers(owner.writes(parts, ['patch']).reconcile(reconcile))).toEqual([['update']]);
    // Who only looks at its children, or deletes them, says of none whose it is.
    expect(finalizers(owner.reconcile(reconcile))).toEqual([]);
    expect(finalizers(owner.writes(parts, ['delete']).reconcile(reconcile))).toEqual([]);
    expect(finalizers(owner.writes(parts, ['create'], 'eviction').reconcile(reconcile))).toEqual([]);
    const said = owner.writes(widgets, ['update'], 'finalizers').writes(parts, ['create']);
    expect(finalizers(said.reconcile(reconcile))).toEqual([['update']]);
  });

  it('has types that refuse mistakes', () => {
    const indexed = controller('a').for(widgets, { indexes: { bySecret: (widget) => [widget.spec.secret ?? ''] } });
    expectTypeOf(
      indexed.watches(parts, mapByIndex('bySecret')).reconcile(reconcile),
    ).toEqualTypeOf<ControllerDefinition>();
    // @ts-expect-error there is no such index
    indexed.watches(parts, mapByIndex('byName'));
    // @ts-expect-error a Widget has no such field
    controller('a').for(widgets, { indexes: { bySecret: (widget) => [widget.spec.colour] } });
    // @ts-expect-error a predicate of this kind can't read the data of another
    controller('a').for(widgets, { predicate: ({ object }) => object.data !== undefined });
    const built = controller('a').for(widgets);
    // @ts-expect-error a reconcile says how it ended
    built.reconcile(async () => undefined);
    // @ts-expect-error a controller has a kind of its own
    expect(() => controller('a').owns(parts)).toThrow(TypeError);
  });

  it('types what projections leave', () => {
    const slim = withFields(widgets, ['spec.size']);
    expect(slim.fields).toEqual(['spec.size']);
    expectTypeOf<ReadForm<typeof slim>['spec']>().toEqualTypeOf<{ readonly size: number }>();
    // @ts-expect-error this path is in no Widget
    withFields(widgets, ['spec.weight']);
  });
});
