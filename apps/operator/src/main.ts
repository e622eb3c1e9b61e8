#!/usr/bin/env node
// The program: reads the environment once, and runs the operator until it is stopped.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { systemClock } from '@ordinal/client';
import { parse as parseYaml } from 'yaml';
import { contradictionsOf } from './configuration/consistency.ts';
import { readFlags } from './configuration/flags.ts';
import { helpText } from './configuration/help.ts';
import { parseSettings } from './configuration/parse.ts';
import { options, type OperatorSettings } from './configuration/settings.ts';
import { findServer } from './connection.ts';
import { createLogger } from './log.ts';
import { runOperator } from './operator.ts';
import { version } from './version.ts';

const flags = process.argv.slice(2);
const commandLine = readFlags(options, flags);
const environment = { ...process.env };
/** From the process's own beginning on. */
const sinceStart = (): number => performance.now();

/** The settings, or the end of the process with all that is wrong with them. */
function readSettings(): OperatorSettings {
  const place = commandLine.values.get('config')?.text ?? environment['ORDINAL_CONFIG'];
  let file: { path: string; content: unknown } | undefined;
  try {
    if (place !== undefined && place !== '')
      file = { path: place, content: parseYaml(readFileSync(place, 'utf8')) as unknown };
  } catch (error) {
    fail([`the configuration file can't be read: ${error instanceof Error ? error.message : String(error)}`]);
  }
  const parsed = parseSettings(options, { flags, environment, ...(file ? { file } : {}) });
  if (!parsed.ok) return fail(parsed.problems);
  const contradictions = contradictionsOf(parsed.settings);
  return contradictions.length === 0 ? parsed.settings : fail(contradictions);
}

function fail(problems: readonly string[]): never {
  for (const problem of problems) process.stderr.write(`ordinal-operator: ${problem}\n`);
  process.exit(2);
}

/** Runs the operator until it is stopped. */
async function run(settings: OperatorSettings): Promise<void> {
  const log = createLogger({
    clock: systemClock,
    level: settings.logLevel,
    format: settings.logFormat,
    write: (line) => void process.stdout.write(line),
  });
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping: work that is under way is ended first');
      stopping.abort(new Error(`${signal} was received`));
    });
  }
  const { KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, KUBECONFIG, HOME } = environment;
  const place = { KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, KUBECONFIG, HOME };
  // The clock's timers hold no process alive, and during a back-off nothing else may be open: without this the program would end in silence.
  const running = setInterval(() => undefined, 2 ** 30);
  try {
    const target = await findServer({ kubeconfig: settings.kubeconfig, context: settings.context, environment: place });
    log.info({ version, server: target.server.url, kinds: settings.kinds }, 'starting');
    const identity = settings.podName === '' ? `${hostname()}_${process.pid}` : settings.podName;
    const { heap_size_limit: heapBytes } = getHeapStatistics();
    await runOperator({ settings, target, version, identity, log, sinceStart, heapBytes }, stopping.signal);
    log.info({}, 'stopped');
  } catch (error) {
    log.error(
      { error: error instanceof Error ? error.message : String(error) },
      'the operator stops because of an error',
    );
    process.exitCode = 1;
  } finally {
    clearInterval(running);
  }
}

if (commandLine.prints === 'help') process.stdout.write(helpText(options));
else if (commandLine.prints === 'version') process.stdout.write(`${version}\n`);
// Not awaited: parts that are loaded on demand import from this module, which has to be whole by then.
else void run(readSettings());
