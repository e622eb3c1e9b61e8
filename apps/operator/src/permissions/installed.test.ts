import { admissionKinds, operatorPermissions } from '@ordinal/constructs';
import { kinds } from '@ordinal/reconcilers';
import { describe, expect, test } from 'vitest';
import { declaredControllers } from '../controllers.ts';
import { permissionsOf } from './installed.ts';

describe('the permissions of an installation', () => {
  test('are those that the controllers declare: not a verb more, not a verb less', () => {
    expect(operatorPermissions).toEqual(permissionsOf(declaredControllers(kinds)));
  });

  test('have no wildcard', () => {
    const { watched, cluster, own } = permissionsOf(declaredControllers(kinds));
    const words = [...watched, ...cluster, ...own].flatMap(({ apiGroups, resources, verbs }) => [
      ...apiGroups,
      ...resources,
      ...verbs,
    ]);
    expect(words.filter((word) => word.includes('*'))).toEqual([]);
  });
});

test('the kinds that are installed are those that the operator keeps', () => {
  const kept = kinds.map(({ descriptor: { group, version, plural } }) => ({ group, version, plural }));
  expect(admissionKinds).toEqual(kept);
});
