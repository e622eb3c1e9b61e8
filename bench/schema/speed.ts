// Time to compile a schema, and to admit (prune and default) and validate objects of about 5 KB.
//
//   node --conditions=ordinal-source bench/schema/speed.ts CRD_FOLDER [--size 5000]
import { compileSchema, copyJson } from '@ordinal/schema';
import type { JsonObject } from '@ordinal/schema';
import { cel } from '@ordinal/schema/cel';
import { sampleValid, seededRandom } from '@ordinal/schema/sample';
import { readCrds } from './crds.ts';
import { readFlags } from '../../tools/flags/flags.ts';

const { values, positionals } = readFlags(
  'node --conditions=ordinal-source bench/schema/speed.ts CRD_FOLDER [--size 5000]',
  {
    allowPositionals: true,
    options: { size: { type: 'string', default: '5000' } },
  },
);
const size = Number(values.size);
/** The best of several batches: other work on the machine makes the rest slower. */
function microseconds(work: () => void): number {
  let best = Infinity;
  for (let batch = 0; batch < 20; batch++) {
    const started = performance.now();
    for (let i = 0; i < 50; i++) work();
    best = Math.min(best, ((performance.now() - started) / 50) * 1000);
  }
  return best;
}

const rows: { crd: string; bytes: number; compileMs: number; admit: number; validate: number; rules: number }[] = [];
for (const crd of readCrds(positionals[0] ?? '.')) {
  const schema = crd.spec.versions.find(({ storage }) => storage)?.schema?.openAPIV3Schema ?? {};
  const started = performance.now();
  const compiled = compileSchema(schema, { cel });
  const compileMs = performance.now() - started;
  const plain = compileSchema(schema, { rules: 'ignore' });
  const random = seededRandom(7);
  let object: JsonObject | undefined;
  for (let i = 0; i < 30 && object === undefined; i++) {
    const drawn = sampleValid(schema, random, { compiled, fullness: 0.3 + i * 0.02 });
    const bytes = JSON.stringify(drawn ?? '').length;
    if (bytes > size * 0.7 && bytes < size * 1.4) object = drawn;
  }
  if (object === undefined) continue;
  const sampled = object;
  const admit = microseconds(() => plain.admit(copyJson(sampled))) - microseconds(() => copyJson(sampled));
  compiled.admit(sampled);
  const validate = microseconds(() => plain.validate(sampled));
  const rules = microseconds(() => compiled.validate(sampled)) - validate;
  rows.push({ crd: crd.metadata.name, bytes: JSON.stringify(sampled).length, compileMs, admit, validate, rules });
}
const median = (list: number[]): number => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
console.table(
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === 'number' ? Math.round(value * 10) / 10 : value]),
    ),
  ),
);
console.log(
  `${String(rows.length)} CRDs; median: compile ${median(rows.map((r) => r.compileMs)).toFixed(1)} ms, admit ${median(rows.map((r) => r.admit)).toFixed(1)} µs, validate ${median(rows.map((r) => r.validate)).toFixed(1)} µs, rules ${median(rows.map((r) => r.rules)).toFixed(1)} µs`,
);
