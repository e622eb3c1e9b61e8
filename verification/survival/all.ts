import { mutatedKinds } from '../mutants/kinds.ts';
import { editOf } from '../mutants/mutation.ts';
import { mutations as simulation } from '../../libs/simulator/conformance/mutations/list.ts';
import { sections } from '../../tools/workspace/requirements/mutations/index.ts';
import type { Edit } from '../mutations/mutate.ts';

/** Every mutation of the workspace, of whichever list. Files are named from the root. */
export const allEdits: readonly Edit[] = [
  ...mutatedKinds.flatMap(({ mutations }) => mutations.map(editOf)),
  ...sections.flatMap(({ mutations }) => mutations),
  ...simulation.map((mutation) => ({ ...mutation, file: `libs/simulator/${mutation.file}` })),
];
