// The simulation's start, speed and memory, each figure in a process of its own: node bench/simulator/run.ts [FIGURE]… [--rounds 3]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { readFlags } from '../../tools/flags/flags.ts';

const { values, positionals } = readFlags('node bench/simulator/run.ts [FIGURE]… [--rounds 3]', {
  options: { rounds: { type: 'string', default: '3' } },
  allowPositionals: true,
});
// Compiled, as a user of the packages has it: stripping types in the process would cost it time and 50 MiB.
const script = join(import.meta.dirname, 'dist', 'measure.mjs');
buildSync({
  entryPoints: [join(import.meta.dirname, 'measure.ts')],
  outfile: script,
  bundle: true,
  platform: 'node',
  format: 'esm',
  conditions: ['ordinal-source'],
  // Loaded for unusual kubeconfigs alone: 18 MB of text that no figure needs.
  external: ['@kubernetes/client-node'],
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});
const node = execFileSync(process.execPath, [
  '-p',
  'fs.readFileSync("/proc/self/status", "utf8").match(/VmHWM: *\\t* *(\\d+)/)[1]',
]);
console.log(`an empty process has ${Math.round(Number(node.toString()) / 1024)} MiB`);
const figures = positionals.length > 0 ? positionals : ['start', 'writes', 'memory', 'program', 'history'];
const root = join(import.meta.dirname, '..', '..');
const simulator = join(root, 'libs', 'simulator');
// The compiled program with the options of Node that stand in its first line: in the workspace, the program itself would run its sources.
const [firstLine = ''] = readFileSync(join(simulator, 'bin', 'ordinal-simulate.js'), 'utf8').split('\n');
const options = firstLine.split(' ').filter((word) => word.startsWith('--'));
const program = [...options, join(simulator, 'dist', 'http', 'simulate.js')];
if (figures.includes('program'))
  execFileSync('npx', ['nx', 'run-many', '-t', 'build', '-p', '@ordinal/simulator'], { cwd: root, stdio: 'ignore' });
for (const figure of figures) {
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const said = execFileSync(process.execPath, [script, figure], {
      encoding: 'utf8',
      env: { ...process.env, ORDINAL_SIMULATE: JSON.stringify(program) },
    });
    console.log(`${figure.padEnd(8)} ${said.trim()}`);
  }
}
