// What CI runs after `npm ci`: the README's commands, then the end-to-end run.
import { runSteps, summarize, type Step } from './steps.ts';

const steps: readonly Step[] = [
  { name: 'npm test', command: ['npm', 'test'], live: true },
  { name: 'npm run e2e', command: ['npm', 'run', '-s', 'e2e'], live: true },
];

process.exitCode = summarize(await runSteps(steps));
