import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

/** Has this Node call itself another one. */
const callsItself = (version: string): string =>
  `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;

test.each([
  ['20.9.0', 'cloud-server', 'cloud API'],
  ['20.9.0', 'monitor-server', 'monitor'],
  [process.versions.node, 'cloud-server', 'cloud API'],
])(
  'with Node %s the %s serves, and ends when it is asked to',
  async (version, server, name) => {
    const folder = mkdtempSync(join(tmpdir(), 'cloud-api-'));
    const start = join(import.meta.dirname, 'start.mjs');
    const options = ['--port', '0', '--state', join(folder, 'state.json')];
    const child = spawn(process.execPath, ['--import', callsItself(version), start, server, ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string];
    const [, url = ''] = /on (http:\S+)$/.exec(line) ?? [];
    expect(line).toBe(`${name} on ${url}`);
    expect((await fetch(url)).status).toBeGreaterThan(0);
    child.kill();
    await ended;
    rmSync(folder, { recursive: true });
  },
  60_000,
);
