import { cacheMutations } from '../../../../verification/mutants/cache/index.ts';
import { externalMutations } from '../../../../verification/mutants/external/index.ts';
import { kvMutations } from '../../../../verification/mutants/kv/index.ts';
import { editOf } from '../../../../verification/mutants/mutation.ts';
import type { Edit } from '../../../../verification/mutations/mutate.ts';

const lists = { cache: cacheMutations, kv: kvMutations, external: externalMutations };

/** The place and the edit of a mutation that the reconcilers have already, by its kind and the beginning of its name. */
export function known(kind: keyof typeof lists, name: string): Edit {
  const found = lists[kind].filter((mutation) => mutation.name.startsWith(name));
  const [mutation] = found;
  if (mutation === undefined || found.length > 1)
    throw new Error(`${String(found.length)} mutations of ${kind}, and not one, begin with: ${name}`);
  return editOf(mutation);
}
