import { describe, expect, it } from 'vitest';
import type { Condition, KubernetesObject } from '@ordinal/client';
import { controllerReference, mergePatchBetween, silentLogger, withCondition, withController } from '../index.ts';
import { addFinalizer, manageError, manageSuccess, patchStatus, removeFinalizer } from '../index.ts';
import type { EventRecord, WithOutcome } from '../index.ts';
import type { ResourceDescriptor } from '@ordinal/client';
import { widget, widgets, world } from '../../test/world.ts';

const now = Date.parse('2026-01-01T00:00:10Z');

describe('withCondition', () => {
  const ready: Condition = {
    type: 'Ready',
    status: 'True',
    reason: 'Fine',
    message: '',
    lastTransitionTime: '2025-01-01T00:00:00Z',
  };

  it('keeps the time of the transition while the status stays', () => {
    const [condition] = withCondition([ready], { type: 'Ready', status: 'True', reason: 'Better', message: 'x' }, now);
    expect(condition).toEqual({ ...ready, reason: 'Better', message: 'x' });
  });

  it('moves it when the status changes', () => {
    const [condition] = withCondition([ready], { type: 'Ready', status: 'False', reason: 'Broken', message: '' }, now);
    expect(condition?.lastTransitionTime).toBe('2026-01-01T00:00:10Z');
  });

  it('leaves the others where they are', () => {
    const other: Condition = { ...ready, type: 'Other' };
    expect(
      withCondition([other, ready], { type: 'New', status: 'True', reason: 'A', message: '' }, now).map(
        ({ type }) => type,
      ),
    ).toEqual(['Other', 'Ready', 'New']);
  });
});

describe('mergePatchBetween', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, undefined],
    [{ a: 1, b: 2 }, { a: 1 }, { b: null }],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
    [{ a: [1, 2] }, { a: [2, 1] }, { a: [2, 1] }],
    [{ a: { b: 1 } }, { a: { b: undefined } }, { a: { b: null } }],
  ])('of %j and %j is %j', (before, after, patch) => {
    expect(mergePatchBetween(before, after)).toEqual(patch);
  });
});

describe('withController', () => {
  const owner = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  };
  const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'shop' } };

  it('adds the reference and keeps those of other owners', () => {
    const other = { ...controllerReference({ descriptor: widgets, object: owner }), uid: 'other', controller: false };
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
        ownerReferences: [{ ...controllerReference({ descriptor: widgets, object: owner }), uid: 'x' }],
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

describe('the outcome of a reconcile', () => {
  const outcomes = widgets as unknown as ResourceDescriptor<WithOutcome, KubernetesObject>;
  const setUp = (): {
    readonly events: EventRecord[];
    readonly context: Parameters<typeof manageError>[0];
    readonly w: ReturnType<typeof world>;
  } => {
    const w = world();
    const events: EventRecord[] = [];
    return {
      w,
      events,
      context: {
        client: w.user,
        clock: w.clock,
        log: silentLogger,
        events: { publish: (event) => void events.push(event) },
      },
    };
  };

  it('doubles the delay from one second up to its cap, and begins anew after a success', async () => {
    const { w, context, events } = setUp();
    await w.user(widgets).namespace('shop').create(widget('a'));
    const present = () => w.user(outcomes).namespace('shop').get('a');
    const delays: (number | undefined)[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { requeueAfterMs } = await manageError(
        context,
        { descriptor: outcomes, object: await present() },
        new Error('broken'),
        { capMs: 6000 },
      );
      delays.push(requeueAfterMs);
      await w.clock.advance(requeueAfterMs ?? 0);
    }
    expect(delays).toEqual([1000, 2000, 4000, 6000, 6000]);
    expect((await present()).status).toMatchObject({ status: 'Failure', reason: 'broken' });
    await manageSuccess(context, { descriptor: outcomes, object: await present() });
    expect((await present()).status).toEqual({ status: 'Success', lastUpdate: expect.any(String) });
    expect(await manageError(context, { descriptor: outcomes, object: await present() }, new Error('again'))).toEqual({
      requeueAfterMs: 1000,
    });
    expect(events[0]).toMatchObject({ type: 'Warning', reason: 'ProcessingError', note: 'broken' });
  });

  it('does not write a success twice', async () => {
    const { w, context } = setUp();
    await w.user(widgets).namespace('shop').create(widget('a'));
    const present = () => w.user(outcomes).namespace('shop').get('a');
    await manageSuccess(context, { descriptor: outcomes, object: await present() });
    const { resourceVersion } = (await present()).metadata;
    await w.clock.advance(60_000);
    await manageSuccess(context, { descriptor: outcomes, object: await present() });
    expect((await present()).metadata.resourceVersion).toBe(resourceVersion);
  });
});
