// `npm test`: generated code is current, lint, types, units, simulation, packages. Says what it skipped and why.
import { runSteps, summarize, type Step } from './steps.ts';

const nx = (target: string): Step['command'] => [
  'npx',
  'nx',
  'run-many',
  '-t',
  target,
  '--output-style=stream-without-prefixes',
  '--parallel=2',
];

const steps: readonly Step[] = [
  { name: 'generated code is current', command: ['npm', 'run', '-s', 'codegen', '--', '--check'] },
  { name: 'embedded schemas are current', command: ['node', 'tools/workspace/embed-schemas.ts', '--check'] },
  { name: 'types', command: nx('typecheck') },
  { name: 'lint', command: nx('lint') },
  {
    name: 'the house: arrows, dead code, workspace tools',
    command: ['npx', 'vitest', 'run', '--config', 'tools/workspace/vitest.config.ts'],
  },
  { name: 'tests', command: nx('test') },
  { name: 'packages install and import elsewhere', command: ['node', 'tools/workspace/packages.ts'] },
];

process.exitCode = summarize(await runSteps(steps));
