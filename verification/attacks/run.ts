// `npm run attack [-- [--operator=CHECKOUT] NAME…]`: starts the API server that the attacks are aimed at, and runs them one file after the other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { planeVariable, startPlane } from './world/plane.ts';

const directory = mkdtempSync(join(tmpdir(), 'ordinal-attacks-'));
const flag = '--operator=';
const given = process.argv.slice(2);
const checkout = given.find((argument) => argument.startsWith(flag))?.slice(flag.length);
const { plane, why, stop } = await startPlane(checkout === undefined ? undefined : resolve(checkout));
try {
  process.stdout.write(`attacked: ${plane.kind === 'real' ? 'a real API server' : `a simulated API server: ${why}`}\n`);
  const file = join(directory, 'plane.json');
  writeFileSync(file, JSON.stringify(plane), { mode: 0o600 });
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--root', import.meta.dirname, ...given.filter((argument) => !argument.startsWith(flag))],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, [planeVariable]: file },
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await stop();
  rmSync(directory, { recursive: true, force: true });
}
