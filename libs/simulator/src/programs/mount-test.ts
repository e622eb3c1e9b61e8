import { sleep } from '@ordinal/client';
import type { CommandIo } from './shell/command.ts';

const written = 'mount-tester new file\n';
const newFiles = { new_file_0644: 0o644, new_file_0666: 0o666, new_file_0660: 0o660, new_file_0777: 0o777 };
const turnMs = 2000;

/** `agnhost mounttest`: writes files, and prints what stands in them, their permissions and where they lie. */
export async function mountTest(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = new Map(
    args.map((arg) => {
      const [, name = '', value = 'true'] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
      return [name, value] as const;
    }),
  );
  const { files, out } = io;
  const results: boolean[] = [];
  const each = (name: string, look: (path: string) => boolean): void => {
    const path = flags.get(name);
    if (path !== undefined) results.push(look(path));
  };
  each('fs_type', (path) => shown(files.isFolder(path), out, `mount type of ${quoted(path)}: ${typeOf(path, io)}`));
  for (const [name, mode] of Object.entries(newFiles))
    each(name, (path) => {
      const isWritten = files.write(path, written);
      files.setMode(path, mode);
      return isWritten
        ? content(path, io)
        : shown(false, out, '', `error writing new file ${quoted(path)}: ${missing(path)}`);
    });
  each('file_mode', (path) => permissions(path, { io, title: 'mode', withKind: true }));
  each('file_perm', (path) => permissions(path, { io, title: 'perms', withKind: false }));
  each('file_content', (path) => content(path, io));
  const looped = flags.get('file_content_in_loop');
  if (looped !== undefined) {
    const seconds = Number(flags.get('retry_time') ?? 180);
    results.push(
      await contentInLoop(looped, { io, seconds, ends: flags.get('break_on_expected_content') !== 'false' }),
    );
  }
  return results.every(Boolean) ? 0 : 1;
}

const quoted = (path: string): string => JSON.stringify(path);
const missing = (path: string): string => `open ${path}: no such file or directory`;

function shown(isThere: boolean, out: (text: string) => void, text: string, otherwise = text): boolean {
  out(`${isThere ? text : otherwise}\n`);
  return isThere;
}

const typeOf = (path: string, { files }: CommandIo): string => (files.isInMemory(path) ? 'tmpfs' : 'ext4');

function content(path: string, { files, out }: CommandIo): boolean {
  const text = files.read(path);
  if (text === undefined)
    return shown(false, out, '', `error reading file content for ${quoted(path)}: ${missing(path)}`);
  return shown(true, out, `content of file ${quoted(path)}: ${text}`);
}

function permissions(
  path: string,
  { io, title, withKind }: { readonly io: CommandIo; readonly title: string; readonly withKind: boolean },
): boolean {
  const mode = io.files.mode(path);
  if (mode === undefined)
    return shown(false, io.out, '', `error from Stat(${quoted(path)}): stat ${path}: no such file or directory`);
  const letters = [...'rwxrwxrwx'].map((letter, index) => ((mode >> (8 - index)) & 1 ? letter : '-')).join('');
  const kind = withKind && io.files.isFolder(path) ? 'd' : '-';
  return shown(true, io.out, `${title} of file ${quoted(path)}: ${kind}${letters}`);
}

async function contentInLoop(
  path: string,
  { io, seconds, ends }: { readonly io: CommandIo; readonly seconds: number; readonly ends: boolean },
): Promise<boolean> {
  const { clock } = io.process;
  let isThere = false;
  for (const end = clock.now() + seconds * 1000; clock.now() < end; await sleep(clock, turnMs, io.signal)) {
    const text = io.files.read(path);
    isThere = text !== undefined;
    io.out(
      isThere
        ? `content of file ${quoted(path)}: ${text ?? ''}\n`
        : `Error reading file ${path}: ${missing(path)}, retrying\n`,
    );
    if (!ends || !isThere) continue;
    if (text === written) break;
    io.out(`Unexpected content. Expected: ${written}. Retrying\n`);
  }
  return isThere;
}
