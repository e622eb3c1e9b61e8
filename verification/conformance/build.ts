import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const source = join(import.meta.dirname, 'suite');

/**
 * The path of Kubernetes' suite as a program, built once for each content of `suite/` and kept beside the components of `tools/cluster`. The first build
 * downloads modules and takes minutes; Go has to be on the PATH for it.
 */
export async function builtSuite(binaries: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of readdirSync(source).sort()) hash.update(name).update(readFileSync(join(source, name)));
  const program = join(binaries, `conformance-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  mkdirSync(binaries, { recursive: true });
  process.stdout.write('building the suite: some minutes the first time …\n');
  // Under a name of its own until it is whole: two runs may build at the same time.
  const unfinished = `${program}.${process.pid}`;
  const parameters = ['test', '-c', '-trimpath', '-ldflags', '-s -w', '-o', unfinished, '.'];
  const go = spawn('go', parameters, { cwd: source, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(go, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the suite was not built: what Go said is above');
  renameSync(unfinished, program);
  return program;
}
