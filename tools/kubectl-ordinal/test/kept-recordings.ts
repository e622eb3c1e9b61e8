import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Replay } from '../src/replay/replay.ts';
import { version } from '../src/version.ts';

const folder = new URL('recordings/', import.meta.url);

/** A recording of a version of the operator. */
export interface KeptRecording {
  readonly version: string;
  readonly name: string;
  readonly file: URL;
}

/** A decision that later versions take otherwise on purpose. */
export interface ExpectedDifference {
  readonly recording: string;
  readonly controller: string;
  readonly namespace: string;
  readonly name: string;
  /** The first place that differs. */
  readonly path: string;
  /** The change that a user was shown, as the changelog has it. */
  readonly because: string;
}

/** Where the recordings of a version are. */
export const folderOf = (of: string): URL => new URL(`${of}/`, folder);

/** All that are kept, by version. */
export const keptRecordings: readonly KeptRecording[] = readdirSync(folder).flatMap((of) =>
  readdirSync(folderOf(of))
    .filter((file) => file.endsWith('.rec.zst'))
    .map((file) => ({ version: of, name: file.replace('.rec.zst', ''), file: new URL(file, folderOf(of)) })),
);

/** What later versions decide otherwise than this one, in the file beside its recordings. */
export function expectedDifferences(of: string): readonly ExpectedDifference[] {
  const file = new URL('differences.yaml', folderOf(of));
  return existsSync(file) ? (parse(readFileSync(file, 'utf8')) as readonly ExpectedDifference[]) : []; // Written by hand.
}

type Changed = Replay['changed'][number];

const isOf = (expected: ExpectedDifference, { controller, namespace, name, path }: Changed): boolean =>
  expected.controller === controller &&
  expected.namespace === namespace &&
  expected.name === name &&
  expected.path === path;

/** What is decided otherwise and is not expected, and what is expected and is decided as before. Both are mistakes. Pure. */
export function unlikeExpected(
  changed: readonly Changed[],
  expected: readonly ExpectedDifference[],
): { readonly unexpected: readonly Changed[]; readonly stale: readonly ExpectedDifference[] } {
  return {
    unexpected: changed.filter((each) => !expected.some((one) => isOf(one, each))),
    stale: expected.filter((one) => !changed.some((each) => isOf(one, each))),
  };
}

/** Whether a version is released: what it has recorded is not recorded again. */
export const isReleased = (changelog: string, of: string): boolean => changelog.includes(`\n## [${of}]`);

/** The version whose recordings are made here. Throws where it is released. */
export function recordedVersion(changelog: string): string {
  if (isReleased(changelog, version))
    throw new Error(
      `${version} is released, and its recordings stay as they are: name what is decided otherwise in differences.yaml beside them, or raise the version first`,
    );
  return version;
}
