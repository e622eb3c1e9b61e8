import type { Pod } from 'kubernetes-types/core/v1.js';
import type { VolumeFiles } from './volume-files.ts';

type HostPath = NonNullable<NonNullable<NonNullable<Pod['spec']>['volumes']>[number]['hostPath']>;

/** Files that a node has by itself, by their paths. */
const ownFiles: Readonly<Record<string, ((node: string) => string) | undefined>> = {
  '/etc/hosts': (node) => `127.0.0.1\tlocalhost\n127.0.1.1\t${node}\n`,
  '/etc/hostname': (node) => `${node}\n`,
};

/** The name of the file that a volume is, where it is one and no folder. */
const itself = '';

/** Puts what a node has at a path into the volume that shows it: a file of its own, or an empty one where the volume is to be a file. */
export function showNodeFile(files: VolumeFiles, node: string, { path, type = '' }: HostPath): void {
  if (files.size > 0) return;
  const own = ownFiles[path];
  if (own !== undefined) files.set(itself, own(node));
  else if (type === 'FileOrCreate') files.set(itself, '');
}
