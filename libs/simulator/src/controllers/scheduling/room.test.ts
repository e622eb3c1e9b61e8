import { expect, test } from 'vitest';
import { allocatableBeside } from './room.ts';

const pod = (requests: object, more: object = {}) => ({ spec: { containers: [{ resources: { requests } }], ...more } });

test('what a node has beside pods: less what they ask for, with a place for each, and never less than nothing', () => {
  const others = [
    pod({ cpu: '500m', memory: '1Gi' }, { overhead: { cpu: '250m' } }),
    pod({}, { initContainers: [{ resources: { requests: { memory: '2Gi', 'example.com/gpu': '1' } } }] }),
  ];
  expect(allocatableBeside({ cpu: '2', memory: '2Gi', pods: '110' }, others)).toEqual({
    cpu: '1250m',
    memory: '0',
    pods: '108',
  });
  expect(allocatableBeside({ cpu: '2' }, [])).toEqual({ cpu: '2' });
});
