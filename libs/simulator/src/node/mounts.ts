import type { Container } from 'kubernetes-types/core/v1.js';
import { expanded } from './environment.ts';
import type { Mount } from './program.ts';

/** Where a container's volumes are mounted, with its variables put in. */
export const mountsOf = ({ volumeMounts = [] }: Container, env: Readonly<Record<string, string>>): readonly Mount[] =>
  volumeMounts.map(({ name, mountPath, subPath, subPathExpr }) => {
    const path = subPathExpr === undefined ? subPath : expanded(subPathExpr, env);
    return { name, mountPath, ...(path !== undefined && { subPath: path }) };
  });

/** Why a volume can't be mounted: a sub-path that leads out of it; undefined where none does. */
export function mountMistake(container: Container, env: Readonly<Record<string, string>>): string | undefined {
  for (const { subPath = '' } of mountsOf(container, env)) {
    if (subPath.startsWith('/')) return `subPath "${subPath}" must be a relative path`;
    if (subPath.split('/').includes('..')) return `subPath "${subPath}" must not contain '..'`;
  }
  return undefined;
}
