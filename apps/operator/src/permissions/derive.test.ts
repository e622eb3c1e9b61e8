import { describe, expect, test } from 'vitest';
import { grantsOf, rulesFrom } from './derive.ts';

const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' } as const;
const services = { ...pods, kind: 'Service', plural: 'services' } as const;
const watch = { use: 'owns', selection: {}, indexes: {} } as const;

describe('permissions', () => {
  test('are what is watched and what is written, and nothing else', () => {
    const grants = grantsOf({
      watches: [{ ...watch, descriptor: pods }],
      writes: [
        { descriptor: pods, verbs: ['delete'] },
        { descriptor: pods, verbs: ['create'], subresource: 'exec' },
      ],
    });
    expect(grants.map(({ resource, verb }) => `${verb} ${resource}`)).toEqual([
      'get pods',
      'list pods',
      'watch pods',
      'delete pods',
      'create pods/exec',
    ]);
  });

  test('share a rule where a group’s resources need the same verbs', () => {
    const grants = [pods, services].flatMap((descriptor) =>
      grantsOf({ watches: [{ ...watch, descriptor }], writes: [] }),
    );
    const more = [
      ...grants,
      ...grantsOf({ watches: [], writes: [{ descriptor: services, subresource: 'status', verbs: ['patch'] }] }),
    ];
    expect(rulesFrom(more)).toEqual([
      { apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['services/status'], verbs: ['patch'] },
    ]);
  });
});
