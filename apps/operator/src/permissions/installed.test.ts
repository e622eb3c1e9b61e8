import { operatorPermissions } from '@ordinal/constructs';
import { describe, expect, test } from 'vitest';
import { kinds } from '../configuration/settings.ts';
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
