import { execFileSync, spawn } from 'node:child_process';
import { freePort } from './postgres.ts';

/** Whether moto's server (PyPI: `moto[server]`) can be run. */
export function isMotoInstalled(): boolean {
  try {
    execFileSync('python3', ['-c', 'import moto.server'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts moto's server on a free port. */
export async function startMoto(): Promise<{ readonly endpoint: string; stop(): void }> {
  const port = await freePort();
  const server = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isUp = await fetch(`${endpoint}/moto-api/`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isUp) return { endpoint, stop: () => void server.kill() };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  server.kill();
  throw new Error('moto did not start');
}
