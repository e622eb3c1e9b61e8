import { execFile, execFileSync, spawnSync } from 'node:child_process';
import type { ChildProcess, ExecFileOptions } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Whether a program is on the PATH. The shell of busybox has to run the other tools of busybox, as that of an image does: Debian's `busybox-static` does so, its
 * `busybox` does not.
 */
export const isThere = (program: string): boolean =>
  program === 'busybox'
    ? spawnSync('busybox', ['sh', '-c', 'PATH=/nowhere; basename a']).status === 0
    : spawnSync('which', [program]).status === 0;

/** How long Kubernetes waits, unless a pod says otherwise, for one that is to end before it kills it. */
export const gracePeriodMs = 30_000;

/** What all members of a set get. */
export interface SetOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** How many members the set is declared with. 3 by default. */
  readonly replicas?: number;
}

/** What a script came to. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** A certificate for all members, which every one of them trusts. Returns its folder. */
export function certificate(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recipe-tls-'));
  const addresses = [1, 2, 3, 4, 5, 6].map((last) => `IP:127.0.0.${String(last)}`).join(',');
  const files = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=shop'];
  execFileSync('openssl', [...request, '-addext', `subjectAltName=${addresses}`, ...files], { stdio: 'ignore' });
  cpSync(join(folder, 'tls.crt'), join(folder, 'ca.crt'));
  return folder;
}

/** Members of one set, as processes on loopback addresses. What the name server knows is in a file. */
export abstract class LoopbackSet {
  readonly folder: string;
  /** The port for clients. That among members is the next one. */
  readonly port: number = 20_000 + 2 * Math.floor(Math.random() * 5_000);
  protected readonly environmentOfAll: Readonly<Record<string, string>>;
  protected readonly processes = new Map<number, ChildProcess>();
  protected readonly pods = new Set<number>();
  protected isSilent = false;
  protected readonly said: string[] = [];

  /** `software`: the folder of its scripts. */
  constructor(software: string, { environment = {}, replicas = 3 }: SetOptions) {
    this.folder = mkdtempSync(join(tmpdir(), `recipe-${software}-`));
    this.environmentOfAll = environment;
    cpSync(join(import.meta.dirname, '../scripts', software), join(this.folder, 'recipe'), { recursive: true });
    this.declare(replicas);
    this.writeHosts();
  }

  /** The environment of a member's container. */
  protected abstract environment(ordinal: number): NodeJS.ProcessEnv;

  /** How programs are run beside the members. */
  protected get execution(): ExecFileOptions {
    return {};
  }

  /** Says with how many members the set is declared. */
  declare(replicas: number): void {
    writeFileSync(join(this.folder, 'recipe/members-shop'), `${String(replicas)}\n`);
  }

  /** Takes the record of how many that is away. */
  undeclare(): void {
    rmSync(join(this.folder, 'recipe/members-shop'));
  }

  /** The address of a member. */
  address(ordinal: number): string {
    return `127.0.0.${String(ordinal + 2)}`;
  }

  /** What the name server says: who has a pod. */
  protected writeHosts(): void {
    const lines = [0, 1, 2, 3, 4].map(
      (ordinal) => `${String(ordinal)} ${this.address(ordinal)}${this.wordFor(ordinal)}\n`,
    );
    writeFileSync(join(this.folder, 'hosts'), lines.join(''));
  }

  private wordFor(ordinal: number): string {
    if (this.isSilent) return ' silent';
    return this.pods.has(ordinal) ? '' : ' gone';
  }

  /** Has the name server say nothing of any member, or answer again. */
  silence(isSilent: boolean): void {
    this.isSilent = isSilent;
    this.writeHosts();
  }

  /** Makes pods, new ones unless they stayed. */
  makePods(ordinals: readonly number[]): void {
    for (const ordinal of ordinals) {
      if (!this.pods.has(ordinal))
        rmSync(join(this.folder, `tools/${String(ordinal)}`), { recursive: true, force: true });
      this.pods.add(ordinal);
    }
    this.writeHosts();
  }

  /** Takes the pod of a member away, unless it stays. */
  protected endPod(ordinal: number, how: { readonly keepsPod?: boolean }): void {
    if (how.keepsPod !== true) this.pods.delete(ordinal);
    this.writeHosts();
  }

  /** What the members have printed. */
  get log(): string {
    return this.said.join('\n');
  }

  /** Whether a member's container runs. */
  runs(ordinal: number): boolean {
    return this.processes.get(ordinal)?.exitCode === null;
  }

  /** Ends a member, and its pod unless it stays. Resolves with the milliseconds that it took. */
  async stop(ordinal: number, how: { readonly keepsPod?: boolean } = {}): Promise<number> {
    const stopped = this.processes.get(ordinal);
    this.processes.delete(ordinal);
    const begun = performance.now();
    if (stopped && stopped.exitCode === null && stopped.signalCode === null) {
      const ended = new Promise((resolve) => stopped.once('exit', resolve));
      stopped.kill('SIGTERM');
      await ended;
    }
    this.endPod(ordinal, how);
    return performance.now() - begun;
  }

  /** Ends members with their pods. */
  async stopAll(ordinals: readonly number[] = [...this.processes.keys()]): Promise<void> {
    await Promise.all(ordinals.map((ordinal) => this.stop(ordinal)));
  }

  /** Runs one of the scripts in a member, or elsewhere with further variables. What follows ` -- ` are its arguments. */
  run(ordinal: number, command: string, variables: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const [script = '', ...parameters] = command.split(' -- ');
    return this.execute(['busybox', 'sh', join(this.folder, 'recipe', script), ...parameters], {
      ...this.environment(ordinal),
      ...variables,
    });
  }

  /** Runs a program to its end. */
  protected execute([program = '', ...parameters]: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    execFile(program, parameters, { ...this.execution, env, encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}`.trim() }),
    );
    return promise;
  }

  /** The folder with the members' volumes, by ordinal. */
  get claims(): string {
    return join(this.folder, 'claims');
  }

  /** Removes what is on a member's volume. */
  loseVolume(ordinal: number): void {
    rmSync(join(this.claims, String(ordinal)), { recursive: true, force: true });
  }

  /** Waits until a member says something, from now on, and does what has it say so. */
  async says(text: string, causes: () => void): Promise<void> {
    const { length } = this.said;
    causes();
    const deadline = performance.now() + 120_000;
    while (!this.said.slice(length).some((said) => said.includes(text))) {
      if (performance.now() > deadline) throw new Error(`no member says "${text}"\n${this.log}`);
      await sleep(200);
    }
  }

  /** Waits until a script of a member answers so. */
  async answers(
    ordinal: number,
    script: string,
    wanted: { readonly code: number; readonly output?: string },
  ): Promise<void> {
    const deadline = performance.now() + 120_000;
    let last: Ended | undefined;
    while (performance.now() < deadline) {
      last = await this.run(ordinal, script);
      if (last.code === wanted.code && last.output.includes(wanted.output ?? '')) return;
      await sleep(200);
    }
    throw new Error(`${script} of member ${String(ordinal)} answers ${JSON.stringify(last)}\n${this.log}`);
  }
}
