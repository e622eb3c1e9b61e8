import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What the server says of a connection: how many bytes the client had taken. */
export interface Report {
  readonly shape: string;
  readonly closed?: number;
  readonly stalled?: number;
}

/** A server in a process of its own whose replies and commands never end. */
export interface EndlessServer {
  readonly port: number;
  /** The next report for which `wanted` is true, earlier ones included. */
  next(wanted: (report: Report) => boolean): Promise<Report>;
  close(): void;
}

/** Starts it. It ends with this process at the latest. */
export async function endlessServer(): Promise<EndlessServer> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'endless-server.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const reports: Report[] = [];
  const waiting = new Set<() => void>();
  let port: number | undefined;
  createInterface(child.stdout).on('line', (line) => {
    const one = JSON.parse(line) as Report & { readonly port?: number }; // What the program beside this one writes.
    if (one.port === undefined) reports.push(one);
    else port = one.port;
    for (const look of waiting) look();
  });
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return {
    port: await until(() => port),
    next: (wanted) =>
      until(() => {
        const at = reports.findIndex(wanted);
        return at === -1 ? undefined : reports.splice(at, 1)[0];
      }),
    close: () => void child.stdin.end(),
  };
}
