// What CI runs after `npm ci`: the components of Kubernetes, so that no test is skipped for want of them; the README's commands;
// the scenarios of the search on a real control plane; the attacks; the end-to-end run.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runSteps, summarize, type Step } from './steps.ts';

const hasGo = (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'go')));

const steps: readonly Step[] = [
  {
    name: 'npm run cluster build',
    command: ['npm', 'run', '-s', 'cluster', 'build'],
    live: true,
    ...(hasGo ? {} : { skip: 'there is no Go on the PATH to build Kubernetes with' }),
  },
  { name: 'npm test', command: ['npm', 'test'], live: true },
  {
    name: 'the same decisions on a real control plane',
    command: ['npm', 'run', '-s', 'real-histories'],
    ...(hasGo ? {} : { skip: 'Kubernetes was not built' }),
  },
  { name: 'npm run attack', command: ['npm', 'run', '-s', 'attack'] },
  { name: 'npm run e2e', command: ['npm', 'run', '-s', 'e2e'], live: true },
];

process.exitCode = summarize(await runSteps(steps));
