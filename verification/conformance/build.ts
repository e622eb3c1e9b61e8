import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const source = join(import.meta.dirname, 'suite');

/** The modules of each version of Kubernetes. */
const modules: Readonly<Record<string, string | undefined>> = { '1.36': 'go', '1.37': 'v1.37' };

/**
 * The path of Kubernetes' suite as a program, built once for each content of `suite/` and kept beside the components of `tools/cluster`. The first build
 * downloads modules and takes minutes; Go has to be on the PATH for it.
 */
export async function builtSuite(binaries: string, kubernetes: string): Promise<string> {
  const base = modules[kubernetes];
  if (base === undefined) throw new Error(`--kubernetes takes 1.36 or 1.37, not '${kubernetes}'`);
  const hash = createHash('sha256');
  for (const name of [`${base}.mod`, `${base}.sum`, 'suite_test.go'])
    hash.update(name).update(readFileSync(join(source, name)));
  const program = join(binaries, `conformance-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  mkdirSync(binaries, { recursive: true });
  process.stdout.write('building the suite: some minutes the first time …\n');
  // Under a name of its own until it is whole: two runs may build at the same time.
  const unfinished = `${program}.${process.pid}`;
  const parameters = [
    'test',
    '-c',
    '-vet=off',
    '-modfile',
    `${base}.mod`,
    '-trimpath',
    '-ldflags',
    '-s -w',
    '-o',
    unfinished,
    '.',
  ];
  const go = spawn('go', parameters, { cwd: source, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(go, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the suite was not built: what Go said is above');
  renameSync(unfinished, program);
  return program;
}
