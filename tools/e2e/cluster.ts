import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './kubernetes.ts';
import { archivesFolder, madeArchives, makeArchives, type SoftwareArchives, type Wanted } from './archives.ts';
import { softwareArchives } from './software.ts';
import type { ClusterProgram } from './cluster-program.ts';

const root = join(import.meta.dirname, '..', '..');

/** The images by name. */
export interface BuiltImages extends Omit<SoftwareArchives, 'archives'> {
  readonly operator: string;
  /** The same program under the name of a later version. */
  readonly next: string;
}

/** What the images are made for, and where. */
interface Making extends Wanted {
  readonly folder: string;
  /** Whether those of software are there, as `e2e:images` has made them. */
  readonly areMade: boolean;
}

/** Makes the operator's image and manifest and the images of the software that the scenarios of these names run, and puts the images on the node. */
export async function prepareImages(cluster: ClusterProgram, making: Making): Promise<BuiltImages> {
  // It empties dist, so it comes first.
  await run('npm', ['run', '-s', 'synth'], { cwd: root });
  const images = operatorImages();
  const [own, { archives, ...had }] = await Promise.all([operatorArchives(images), ofSoftware(cluster, making)]);
  await cluster.run('load', ...own, ...archives);
  // The node has them now, and they take a gigabyte.
  if (making.areMade) rmSync(archivesFolder, { recursive: true, force: true });
  return { ...images, ...had };
}

async function ofSoftware(
  cluster: ClusterProgram,
  { folder, areMade, scenarios, isWhole }: Making,
): Promise<SoftwareArchives> {
  const wanted = { scenarios, isWhole };
  if (areMade) return madeArchives(archivesFolder, wanted);
  return await makeArchives(folder, wanted, () => softwareArchives(cluster, folder, wanted));
}

/** The operator under both names, one after the other. */
async function operatorArchives(images: ReturnType<typeof operatorImages>): Promise<readonly string[]> {
  const archives: string[] = [];
  for (const version of Object.values(images).map(versionOf)) {
    await run('npm', ['run', '-s', 'image', '--', `--version=${version}`], { cwd: root });
    archives.push(join(root, 'dist', `ordinal-operator-${version}.tar`));
  }
  return archives;
}

const versionOf = (image: string): string => image.split(':')[1] ?? '';

/** The operator's image as its package's version names it, and another one that it is upgraded to. */
export function operatorImages(): Pick<BuiltImages, 'operator' | 'next'> {
  const { version } = JSON.parse(readFileSync(join(root, 'apps/operator/package.json'), 'utf8')) as { version: string };
  const name = `docker.io/ordinal/operator:${version}`;
  return { operator: name, next: `${name}-next` };
}
