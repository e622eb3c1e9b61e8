import { describe, expect, it } from 'vitest';
import { keepFields, withoutManagedFields } from './projection.ts';

const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: 'now' };
const object = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, managedFields: [{ manager: 'kubectl' }] },
  spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i', env: [] }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
};

describe('projections', () => {
  it('drop managed fields and change nothing else', () => {
    expect(withoutManagedFields(object)).toEqual({ ...object, metadata });
    expect(object.metadata.managedFields).toHaveLength(1);
  });

  it('keep identity, metadata and the fields named, through arrays', () => {
    expect(keepFields(['spec.containers.image', 'status.conditions', 'spec.absent.deep'])(object)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { containers: [{ image: 'i' }] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  });

  it('keep a field whole that is named together with a part of it, in any order', () => {
    const { spec } = object;
    expect(keepFields(['spec', 'spec.nodeName'])(object)).toMatchObject({ spec });
    expect(keepFields(['spec.nodeName', 'spec'])(object)).toMatchObject({ spec });
  });
});
