import { describe, expect, it } from 'vitest';
import { controllerReference } from '@ordinal/client';
import { addFinalizer, patchStatus, removeFinalizer, withController } from '../index.ts';
import { widget, widgets, world } from '../../test/world.ts';

describe('withController', () => {
  const owner = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  };
  const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'shop' } };

  it('adds the reference and keeps those of other owners', () => {
    const other = { ...controllerReference(owner), uid: 'other', controller: false };
    const owned = withController(
      { ...child, metadata: { ...child.metadata, ownerReferences: [other] } },
      { descriptor: widgets, object: owner },
    );
    expect(owned.metadata.ownerReferences.map(({ uid }) => uid)).toEqual(['other', 'u']);
  });

  it.each([
    ['another namespace', { ...child, metadata: { name: 'c', namespace: 'other' } }],
    ['no namespace', { ...child, metadata: { name: 'c' } }],
  ])('refuses a namespaced owner for a child in %s', (_where, stranger) => {
    expect(() => withController(stranger, { descriptor: widgets, object: owner })).toThrow(/namespace/);
  });

  it('allows a cluster-scoped owner for a namespaced child', () => {
    expect(
      withController(child, { descriptor: { ...widgets, scope: 'Cluster' }, object: owner }).metadata,
    ).toHaveProperty('ownerReferences');
  });

  it('refuses a child that another owner controls', () => {
    const taken = {
      ...child,
      metadata: {
        ...child.metadata,
        ownerReferences: [{ ...controllerReference(owner), uid: 'x' }],
      },
    };
    expect(() => withController(taken, { descriptor: widgets, object: owner })).toThrow(
      /controlled by Widget a already/,
    );
  });
});

describe('finalizers and status', () => {
  it('writes only what differs, and refuses to write over a newer object', async () => {
    const { user: client, api } = world();
    const made = await client(widgets).namespace('shop').create(widget('a'));
    const held = await addFinalizer({ client }, widgets, made, 'example.com/hold');
    expect(held.metadata.finalizers).toEqual(['example.com/hold']);
    await expect(addFinalizer({ client }, widgets, made, 'example.com/other')).rejects.toMatchObject({
      code: 'Conflict',
    });
    const shown = await patchStatus({ client }, widgets, held, { seen: 3 });
    const before = api.requests.length;
    await patchStatus({ client }, widgets, shown, { seen: 3 });
    await addFinalizer({ client }, widgets, shown, 'example.com/hold');
    expect(api.requests).toHaveLength(before);
    const free = await removeFinalizer({ client }, widgets, shown, 'example.com/hold');
    expect(free.metadata.finalizers).toBeUndefined();
  });
});
