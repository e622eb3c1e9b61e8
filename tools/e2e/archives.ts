import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the images of software are made for. */
export interface Wanted {
  /** The names of the scenarios. */
  readonly scenarios: readonly string[];
  /** As in a World. */
  readonly isWhole: boolean;
}

/** The images of the software that scenarios run, as files. */
export interface SoftwareArchives {
  readonly archives: readonly string[];
  /** Whether moto's image could be made. */
  readonly hasMoto: boolean;
  /** Whether Kafka's images could be made, or are not needed. */
  readonly hasKafka: boolean;
}

/** Where `e2e:images` leaves them for `e2e:e2e`. */
export const archivesFolder = join(import.meta.dirname, '../../node_modules/.cache/ordinal-e2e');

const list = (folder: string): string => join(folder, 'list.json');

/** Makes archives in a folder that was emptied before, and leaves a list of them there once they are all made. */
export async function makeArchives(
  folder: string,
  wanted: Wanted,
  make: (folder: string, wanted: Wanted) => Promise<SoftwareArchives>,
): Promise<SoftwareArchives> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const made = await make(folder, wanted);
  writeFileSync(list(folder), JSON.stringify({ wanted, made }));
  return made;
}

/** What lies in the folder. Throws where nothing was made whole, or it was made for other scenarios. */
export function madeArchives(folder: string, wanted: Wanted): SoftwareArchives {
  if (!existsSync(list(folder))) throw new Error(`there are no images in ${folder}: nx run e2e:images makes them`);
  const found = JSON.parse(readFileSync(list(folder), 'utf8')) as { wanted: Wanted; made: SoftwareArchives }; // As written above.
  const { scenarios, isWhole } = found.wanted;
  if (scenarios.join() !== wanted.scenarios.join() || isWhole !== wanted.isWhole)
    throw new Error(`the images in ${folder} are for ${scenarios.join(', ')}, not for ${wanted.scenarios.join(', ')}`);
  return found.made;
}
