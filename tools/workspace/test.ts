// `npm test`: generated code is current, lint, types, units, simulation, packages. Says what it skipped and why.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
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

// As tools/cluster finds them.
const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const apiServer = join(process.env['CLUSTER_HOME'] ?? join(cache, 'ordinal-cluster'), 'bin', 'kube-apiserver');

const steps: readonly Step[] = [
  { name: 'generated code is current', command: ['npm', 'run', '-s', 'codegen', '--', '--check'] },
  { name: 'embedded schemas are current', command: ['node', 'tools/workspace/embed-schemas.ts', '--check'] },
  { name: 'types', command: nx('typecheck') },
  { name: 'lint', command: nx('lint') },
  {
    name: 'types and lint of the workspace’s own tools',
    command: ['node', 'tools/workspace/tools.ts'],
  },
  { name: 'alerts, by promtool', command: ['node', '--conditions=ordinal-source', 'tools/workspace/alerts.ts'] },
  { name: 'no dead code: files, exports, dependencies', command: ['npx', 'knip', '--no-progress'] },
  {
    name: 'the house: arrows, workspace tools',
    command: ['npx', 'vitest', 'run', '--config', 'tools/workspace/vitest.config.ts'],
  },
  {
    name: 'mutations: how they find their place, whatever is renamed',
    command: ['npx', 'vitest', 'run', '--config', 'verification/mutations/vitest.config.ts'],
  },
  { name: 'tests', command: nx('test') },
  {
    name: 'a minute of the search through histories, all four kinds',
    command: ['npm', 'run', '-s', 'explore', '--', '--minutes', '1', '--histories', '1500'],
  },
  { name: 'the demo: its parts', command: ['npx', 'vitest', 'run', '--config', 'tools/demo/vitest.config.ts'] },
  { name: 'the demo', command: ['npm', 'run', '-s', 'demo'] },
  { name: 'packages install and import elsewhere', command: ['node', 'tools/workspace/packages.ts'] },
  { name: 'examples: a cdk8s app outside the workspace', command: ['bash', 'examples/cdk8s-app/run.sh'] },
  { name: "examples: constructs for others' CRDs", command: ['bash', 'examples/foreign-crds/run.sh'] },
  {
    name: 'examples: their unit tests',
    command: ['npx', 'vitest', 'run', '--config', 'examples/vitest.config.ts'],
  },
  {
    name: 'examples: an operator of your own',
    command: ['bash', 'examples/own-operator/run.sh'],
    ...(existsSync(apiServer) ? {} : { skip: "no Kubernetes binaries; 'npm run cluster build' makes them" }),
  },
];

process.exitCode = summarize(await runSteps(steps));
