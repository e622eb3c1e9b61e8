import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MutableWorkspace } from '../../../../verification/mutations/workspace.ts';
import { mutatedKinds } from './kinds.ts';
import { editOf } from './mutation.ts';

test('every mutation has one place to be made at, whatever the names are there, so that none is passed over in silence', () => {
  const workspace = new MutableWorkspace(fileURLToPath(new URL('../../../../', import.meta.url)));
  const faults = mutatedKinds
    .flatMap(({ mutations }) => mutations)
    .map((mutation) => ({ name: mutation.name, fault: workspace.faultOf(editOf(mutation)) }));
  expect(faults.filter(({ fault }) => fault !== undefined)).toEqual([]);
}, 120_000);
