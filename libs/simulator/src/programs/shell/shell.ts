import { sleep } from '@ordinal/client';
import { normalPath } from '../file-system.ts';
import type { FileSystem } from '../file-system.ts';
import type { ContainerProcess } from '../../node/program.ts';
import { arithmetic } from './arithmetic.ts';
import type { ShellState } from './builtins.ts';
import { builtins, ExitShell, LoopJump } from './builtins.ts';
import type { CommandTable, Streams } from './command.ts';
import { baseName } from './command.ts';
import { parseScript } from './parse.ts';
import type { Command, Redirection, Script, Word, WordPart } from './syntax.ts';

/** What a shell is started with. */
export interface ShellOptions {
  readonly process: ContainerProcess;
  readonly files: FileSystem;
  readonly commands: CommandTable;
  /** Aborted when the process is asked to end: what waits ends. */
  readonly signal?: AbortSignal | undefined;
}

/** A shell with its variables. It runs scripts in the cluster's time; a turn of a loop takes a millisecond, so that no loop lasts forever. */
export class Shell implements ShellState {
  readonly options: ShellOptions;
  readonly variables: Map<string, string>;
  readonly exported: Set<string>;
  folder = '/';
  endsOnError = false;
  readonly traps = new Map<string, string>();
  parameters: readonly string[] = [];
  /** What it calls itself in messages. */
  name = 'sh';
  #status = 0;
  /** How the latest command in `$(…)` has ended. */
  #outputStatus = 0;

  constructor(options: ShellOptions, variables?: ReadonlyMap<string, string>) {
    this.options = options;
    const { env, pod } = options.process;
    this.variables = new Map(
      variables ?? [...Object.entries({ PATH: '/bin:/usr/bin', HOME: '/root', HOSTNAME: pod }), ...Object.entries(env)],
    );
    this.exported = new Set(this.variables.keys());
  }

  /** Runs a script. The answer is how its last command ended, or what it has left with. */
  async run(script: Script, streams: Streams): Promise<number> {
    try {
      return await this.#script(script, streams);
    } catch (error) {
      if (error instanceof ExitShell) return error.status;
      throw error;
    }
  }

  /** Runs a single command as it is, with nothing to expand. */
  invoke(words: readonly string[], streams: Streams): Promise<number> {
    return this.#invoke(words, streams, this.#environment());
  }

  async #script(script: Script, streams: Streams, tested = false): Promise<number> {
    let status = 0;
    for (const { command, background } of script) {
      if (background) {
        // Nothing waits for it; it ends with the process at the latest.
        this.#command(command, streams, true).catch(() => undefined);
        status = 0;
      } else status = await this.#command(command, streams, tested);
      this.#status = status;
    }
    return status;
  }

  async #command(command: Command, streams: Streams, tested: boolean): Promise<number> {
    switch (command.kind) {
      case 'simple':
        return this.#checked(await this.#simple(command, streams), tested);
      case 'pipe':
        return this.#checked(await this.#pipe(command, streams), tested || command.negated);
      case 'chain': {
        let status = await this.#command(command.first, streams, true);
        for (const { when, command: next } of command.rest)
          if ((status === 0) === (when === '&&')) status = await this.#command(next, streams, true);
        return this.#checked(status, tested || command.rest.at(-1)?.when === '&&');
      }
      case 'group': {
        const own = await this.#redirected(command.redirections, streams);
        return own === undefined ? this.#checked(1, tested) : this.#script(command.body, own, tested);
      }
      case 'if':
        for (const { test, then } of command.branches)
          if ((await this.#script(test, streams, true)) === 0) return this.#script(then, streams, tested);
        return this.#script(command.otherwise ?? [], streams, tested);
      case 'while':
        return this.#loop(streams, command.body, async () => {
          return ((await this.#script(command.test, streams, true)) === 0) !== command.until;
        });
      case 'for': {
        const values: string[] = [];
        for (const word of command.words) values.push(...(await this.#fields(word, streams)));
        return this.#loop(streams, command.body, () => {
          const value = values.shift();
          if (value !== undefined) this.variables.set(command.name, value);
          return Promise.resolve(value !== undefined);
        });
      }
    }
  }

  #checked(status: number, tested: boolean): number {
    this.#status = status;
    if (this.endsOnError && !tested && status !== 0) throw new ExitShell(status);
    return status;
  }

  async #loop(streams: Streams, body: Script, goesOn: () => Promise<boolean>): Promise<number> {
    let status = 0;
    const { process, signal } = this.options;
    while (await goesOn()) {
      await sleep(process.clock, 1, signal);
      try {
        status = await this.#script(body, streams);
      } catch (error) {
        if (!(error instanceof LoopJump)) throw error;
        if (error.ends) break;
      }
    }
    return status;
  }

  async #pipe({ stages, negated }: Extract<Command, { kind: 'pipe' }>, { stdin, out, err }: Streams): Promise<number> {
    let text = stdin;
    let status = 0;
    for (const [index, stage] of stages.entries()) {
      let passed = '';
      const isLast = index === stages.length - 1;
      const write = isLast ? out : (part: string) => void (passed += part);
      status = await this.#command(stage, { stdin: text, out: write, err }, true);
      text = passed;
    }
    return negated ? Number(status === 0) : status;
  }

  async #simple(
    { assignments, words, redirections }: Extract<Command, { kind: 'simple' }>,
    streams: Streams,
  ): Promise<number> {
    const expanded: string[] = [];
    this.#outputStatus = 0;
    for (const word of words) expanded.push(...(await this.#fields(word, streams)));
    const values: [string, string][] = [];
    for (const [name, word] of assignments) values.push([name, await this.#text(word, streams)]);
    const own = await this.#redirected(redirections, streams);
    if (own === undefined) return 1;
    if (expanded.length > 0) return this.#invoke(expanded, own, new Map([...this.#environment(), ...values]));
    for (const [name, value] of values) this.variables.set(name, value);
    return this.#outputStatus;
  }

  async #invoke(
    [name = '', ...args]: readonly string[],
    streams: Streams,
    env: ReadonlyMap<string, string>,
  ): Promise<number> {
    const builtin = builtins[name];
    if (builtin !== undefined) return builtin(args, this, streams);
    const { process, files, commands, signal } = this.options;
    const base = baseName(name);
    if (isShell(base)) return this.#nested([name, ...args], streams, env);
    const command = commands.get(base);
    if (command === undefined) {
      streams.err(`sh: ${name}: not found\n`);
      return 127;
    }
    return command(args, { process, files, folder: this.folder, env, signal, ...streams });
  }

  /** A shell in a shell. */
  #nested(
    [name = 'sh', ...args]: readonly string[],
    streams: Streams,
    env: ReadonlyMap<string, string>,
  ): Promise<number> {
    const { script, parameters, endsOnError } = scriptOf(args, streams.stdin, this.options.files);
    if (script === undefined) return Promise.resolve(2);
    const shell = new Shell(this.options, env);
    Object.assign(shell, { name, parameters, endsOnError, folder: this.folder });
    return shell.run(parseScript(script), streams);
  }

  #environment(): ReadonlyMap<string, string> {
    return new Map([...this.variables].filter(([name]) => this.exported.has(name)));
  }

  /** The streams of a command; undefined where a file can't be written. */
  async #redirected(redirections: readonly Redirection[], streams: Streams): Promise<Streams | undefined> {
    let { stdin, out, err } = streams;
    for (const { stream, operator, target } of redirections) {
      const name = await this.#text(target, streams);
      if (operator === '<') {
        stdin = this.options.files.read(normalPath(name, this.folder)) ?? '';
        continue;
      }
      const write = operator === '>&' ? (name === '2' ? err : out) : this.#writer(name, operator === '>>', streams);
      if (write === undefined) return undefined;
      if (stream === 2) err = write;
      else out = write;
    }
    return { stdin, out, err };
  }

  #writer(name: string, appends: boolean, { out, err }: Streams): ((text: string) => void) | undefined {
    const path = normalPath(name, this.folder);
    if (path === '/dev/null') return () => undefined;
    // What the first process of the container writes, or this one.
    if (/^\/(dev\/(stdout|termination-log)?|proc\/(1|self)\/fd\/1)$/.test(path) && !path.endsWith('log')) return out;
    if (/^\/(dev\/stderr|proc\/(1|self)\/fd\/2)$/.test(path)) return err;
    const { files } = this.options;
    let text = appends ? (files.read(path) ?? '') : '';
    if (!files.write(path, text)) {
      const why = files.isReadOnly(path) ? 'Read-only file system' : 'nonexistent directory';
      err(`${this.name}: can't create ${name}: ${why}\n`);
      return undefined;
    }
    return (more) => void files.write(path, (text += more));
  }

  /** A word as one text. */
  async #text(word: Word, streams: Streams): Promise<string> {
    let text = '';
    for (const part of word) text += await this.#value(part, streams);
    return text;
  }

  /** A word as the arguments that come of it: what is not quoted is split at blanks. */
  async #fields(word: Word, streams: Streams): Promise<readonly string[]> {
    const fields: string[] = [];
    let open: string | undefined;
    for (const part of word) {
      if (part.kind === 'variable' && part.name === '@' && part.quoted) {
        fields.push(...this.parameters);
        continue;
      }
      const value = await this.#value(part, streams);
      if (part.quoted || part.kind === 'text') {
        open = (open ?? '') + value;
        continue;
      }
      const pieces = value.split(/\s+/);
      for (const [index, piece] of pieces.entries()) {
        if (index > 0 && open !== undefined) {
          fields.push(open);
          open = undefined;
        }
        if (piece !== '') open = (open ?? '') + piece;
      }
    }
    return open === undefined ? fields : [...fields, open];
  }

  async #value(part: WordPart, streams: Streams): Promise<string> {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'variable': {
        const value = this.variable(part.name);
        return value === '' && part.otherwise !== undefined ? this.#text(part.otherwise, streams) : value;
      }
      case 'output': {
        let text = '';
        const out = (more: string): void => void (text += more);
        this.#outputStatus = await new Shell(this.options, this.variables).run(part.script, { ...streams, out });
        return text.replace(/\n+$/, '');
      }
      case 'arithmetic': {
        const expression = await this.#text(part.expression, streams);
        const plain = expression.replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => this.variable(name) || '0');
        const value = arithmetic(plain, (name) => this.variable(name));
        if (value !== undefined) return String(value);
        streams.err(`sh: arithmetic syntax error\n`);
        throw new ExitShell(2);
      }
    }
  }

  /** A variable's value, or one of the shell's own. */
  variable(name: string): string {
    if (name === '?') return String(this.#status);
    if (name === '$') return '1';
    if (name === '#') return String(Math.max(0, this.parameters.length));
    if (name === '@' || name === '*') return this.parameters.join(' ');
    if (/^\d+$/.test(name)) return name === '0' ? 'sh' : (this.parameters[Number(name) - 1] ?? '');
    if (name === 'RANDOM') return String(Math.floor(this.options.process.random() * 32_768));
    return this.variables.get(name) ?? '';
  }
}

/** Whether a command is a shell. */
export const isShell = (name: string): boolean => ['sh', 'bash', 'ash', 'dash'].includes(name);

/** What a shell is to run: the text after `-c`, a file, or its input. */
export function scriptOf(
  args: readonly string[],
  stdin: string,
  files?: FileSystem,
): { readonly script: string | undefined; readonly parameters: readonly string[]; readonly endsOnError: boolean } {
  const count = args.findIndex((arg) => !/^-[a-z]+$/.test(arg));
  const flags = (count < 0 ? args : args.slice(0, count)).join('');
  const [first, ...rest] = count < 0 ? [] : args.slice(count);
  const endsOnError = flags.includes('e');
  if (flags.includes('c')) return { script: first, parameters: rest.slice(1), endsOnError };
  if (first === undefined) return { script: stdin, parameters: [], endsOnError };
  return { script: files?.read(normalPath(first)), parameters: rest, endsOnError };
}
