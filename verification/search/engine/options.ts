import { availableParallelism } from 'node:os';
import type { SearchOptions } from './search.ts';
import { readFlags } from '../../../tools/flags/flags.ts';

/** The options of a search on the command line, for any of these kinds unless `--kind` names some (with commas between). */
export function searchOptions(kinds: readonly string[]): SearchOptions {
  const { values } = readFlags(
    'npm run explore -- [--kind cache,kv,database,set] [--scenario TEXT]… [--singles] [--minutes 60] [--out shares.jsonl] …',
    {
      options: {
        histories: { type: 'string', default: '100000' },
        minutes: { type: 'string', default: '60' },
        seed: { type: 'string', default: '1' },
        kind: { type: 'string' },
        scenario: { type: 'string', multiple: true, default: [''] },
        singles: { type: 'boolean', default: false },
        workers: { type: 'string', default: String(availableParallelism()) },
        failures: { type: 'string', default: '1' },
        out: { type: 'string' },
      },
    },
  );
  const chosen = values.kind?.split(',') ?? kinds;
  const unknown = chosen.filter((kind) => !kinds.includes(kind));
  if (unknown.length > 0) throw new TypeError(`--kind ${unknown.join()}: there are ${kinds.join(', ')}`);
  return {
    kinds: chosen,
    scenarios: values.scenario,
    singlesAlone: values.singles,
    histories: Number(values.histories),
    minutes: Number(values.minutes),
    seed: Number(values.seed),
    workers: Number(values.workers),
    failures: Number(values.failures),
    ...(values.out !== undefined && { out: values.out }),
  };
}
