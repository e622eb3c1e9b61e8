import type { ContainerProcess } from '../node/program.ts';
import { VolumeFiles } from '../node/volume-files.ts';

/** The files that a container sees: those of its own, which go with its run, and those of the volumes that are mounted. Paths are absolute. */
export interface FileSystem {
  /** A file's text; undefined where there is none. */
  read(path: string): string | undefined;
  /** Writes a file; false where its folder does not exist. */
  write(path: string, text: string): boolean;
  /** Removes a file, or a folder with all that is in it; false where there is neither. */
  remove(path: string): boolean;
  makeFolder(path: string): void;
  isFolder(path: string): boolean;
  /** The names in a folder, in order. */
  list(path: string): readonly string[];
  /** The permissions of a file or folder; undefined where there is neither. */
  mode(path: string): number | undefined;
  /** Gives a file that is there its permissions. */
  setMode(path: string, mode: number): void;
  /** Whether nothing can be written at a path. */
  isReadOnly(path: string): boolean;
  /** Whether what is at a path lies in memory. */
  isInMemory(path: string): boolean;
}

/** Folders are kept as names that end with a slash. */
type Files = VolumeFiles;

const usualModes = { file: 0o644, folder: 0o755, volume: 0o777 } as const;

/** The folders that an image has. */
const ownFolders = [
  'bin',
  'dev',
  'etc',
  'home',
  'mnt',
  'opt',
  'proc',
  'root',
  'run',
  'tmp',
  'usr',
  'var',
  'var/log',
  'var/tmp',
];
const memoryKey = 'files';
const writtenKey = 'written files';

/** A path without `.`, `..` and repeated slashes. */
export function normalPath(path: string, folder = '/'): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

interface Place {
  readonly files: Files;
  /** The path within them, without a slash at its beginning. */
  readonly name: string;
  /** What is mounted of them: a folder that is there, whatever is in it. */
  readonly base: string;
}

/** The files of a process. `own` are those that its image brings along. */
export function fileSystemOf(
  process: ContainerProcess,
  { own, isReadOnly }: { readonly own: Readonly<Record<string, string>>; readonly isReadOnly: boolean },
): FileSystem {
  const root = rootOf(process, own);
  const { mounts } = process;
  const written = writtenOf(process);
  const deepestFirst = [...mounts].sort((left, right) => right.mountPath.length - left.mountPath.length);
  const placeOf = (path: string): Place => {
    const normal = normalPath(path);
    for (const { name, mountPath, subPath = '' } of deepestFirst) {
      const at = normalPath(mountPath);
      if (normal !== at && !normal.startsWith(`${at}/`)) continue;
      const base = normalPath(subPath).slice(1);
      return { files: volumeOf(process, name), name: normalPath(`${base}/${normal.slice(at.length)}`).slice(1), base };
    }
    return { files: root, name: normal.slice(1), base: '' };
  };
  return {
    read: (path) => {
      const { files, name } = placeOf(path);
      const given = files === root && !written.has(name) ? process.files()[`/${name}`] : undefined;
      return given ?? files.get(name);
    },
    write(path, text) {
      if (normalPath(path) === process.terminationMessagePath) {
        process.report(text);
        return true;
      }
      const { files, name, base } = placeOf(path);
      if (files === root && isReadOnly) return false;
      const folder = name.split('/').slice(0, -1).join('/');
      const isOpen = files !== root && name === base && files.has(name);
      if (!isOpen && (name === base || !isFolder({ files, name: folder, base }))) return false;
      files.set(name, text);
      if (files === root) written.add(name);
      return true;
    },
    remove(path) {
      const { files, name } = placeOf(path);
      const gone = [...files.keys()].filter((each) => each === name || each.startsWith(`${name}/`));
      for (const each of gone) files.delete(each);
      return gone.length > 0;
    },
    makeFolder(path) {
      const { files, name } = placeOf(path);
      if (name !== '') files.set(`${name}/`, '');
    },
    isFolder: (path) => isFolder(placeOf(path)),
    mode(path) {
      const place = placeOf(path);
      const { files, name, base } = place;
      if (files.has(name)) return files.modes.get(name) ?? usualModes.file;
      if (!isFolder(place)) return undefined;
      return name === base && files !== root ? usualModes.volume : usualModes.folder;
    },
    setMode(path, mode) {
      const { files, name } = placeOf(path);
      if (files.has(name)) files.modes.set(name, mode);
    },
    isReadOnly: (path) => isReadOnly && placeOf(path).files === root,
    isInMemory: (path) => placeOf(path).files.inMemory,
    list(path) {
      const { files, name } = placeOf(path);
      const prefix = name === '' ? '' : `${name}/`;
      const names = [...files.keys()]
        .filter((each) => each.startsWith(prefix) && each !== prefix)
        .map((each) => each.slice(prefix.length).split('/')[0] ?? '');
      return [...new Set(names)].sort();
    },
  };
}

function isFolder({ files, name, base }: Place): boolean {
  // A volume may be a file.
  if (files.has(name) && name === base) return false;
  if (name === '' || name === base) return true;
  for (const each of files.keys()) if (each.startsWith(`${name}/`)) return true;
  return false;
}

/** The files of a volume; those that a program of the test gave have the usual permissions. */
function volumeOf(process: ContainerProcess, name: string): Files {
  const files = process.volume(name);
  return files instanceof VolumeFiles ? files : new VolumeFiles(files);
}

/** The files of the container's own that were written since it began: what the kubelet put there shows no more. */
function writtenOf({ memory }: ContainerProcess): Set<string> {
  const known = memory.get(writtenKey) as Set<string> | undefined; // Nothing else is kept under this key.
  const written = known ?? new Set<string>();
  memory.set(writtenKey, written);
  return written;
}

/** The files of the container's own, which last as long as its process. */
function rootOf(process: ContainerProcess, own: Readonly<Record<string, string>>): Files {
  const { memory } = process;
  const known = memory.get(memoryKey) as Files | undefined; // Nothing else is kept under this key.
  if (known !== undefined) return known;
  const files = new VolumeFiles(ownFolders.map((name) => [`${name}/`, '']));
  files.set('dev/null', '');
  for (const [path, text] of Object.entries({ ...own, ...process.files() })) files.set(normalPath(path).slice(1), text);
  memory.set(memoryKey, files);
  return files;
}
