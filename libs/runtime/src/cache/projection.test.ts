import { describe, expect, it } from 'vitest';
import { metadataOnly } from '@ordinal/client';
import type { KubernetesObject } from '@ordinal/client';
import { widgets } from '../../test/world.ts';
import { keptOf, reading, union, withAnnotations, withFields } from './projection.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const object = (): KubernetesObject & { readonly spec: object } => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: {
    name: 'a',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '',
    annotations: { [lastApplied]: '{}', mine: '1', other: '2' },
    managedFields: [{ manager: 'x' }],
  },
  spec: { size: 1, secret: 's' },
});
const kept = (descriptor: Parameters<typeof keptOf>[0]) => reading(descriptor, keptOf(descriptor)).project(object());

describe('what a cache keeps', () => {
  it('is everything but managedFields and the copy that kubectl leaves', () => {
    expect(kept(widgets)).toMatchObject({ spec: { size: 1, secret: 's' } });
    expect(kept(widgets).metadata).toEqual({
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '',
      annotations: { mine: '1', other: '2' },
    });
  });

  it('can be some fields', () => {
    expect(kept(withFields(widgets, ['spec.size']))).toHaveProperty('spec', { size: 1 });
  });

  it('can be some annotations', () => {
    expect(kept(withAnnotations(widgets, ['mine'])).metadata.annotations).toEqual({ mine: '1' });
    expect(kept(withAnnotations(widgets, [])).metadata).not.toHaveProperty('annotations');
  });

  it('serves everyone who shares the cache', () => {
    const fields = keptOf(withFields(widgets, ['spec.size']));
    expect(union(fields, keptOf(metadataOnly(widgets)))).toEqual(fields);
    expect(union(fields, keptOf(withFields(widgets, ['spec.secret'])))).toEqual({
      keep: 'fields',
      paths: ['spec.secret', 'spec.size'],
    });
    expect(union(fields, keptOf(widgets))).toEqual({ keep: 'whole' });
    expect(union(keptOf(withAnnotations(widgets, ['a'])), keptOf(withAnnotations(widgets, ['b'])))).toEqual({
      keep: 'whole',
      annotations: ['a', 'b'],
    });
  });
});
