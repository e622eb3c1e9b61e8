/**
 * Puts known mistakes back, one at a time, into a copy of the sources, and searches the histories of each copy for at most a minute and a half. A mistake that
 * the search does not find is a hole in the scenarios or in the checks.
 *
 *   node --conditions=ordinal-source libs/reconcilers/test/external/mutate.ts [PART-OF-A-NAME]
 *
 * Exits 1 when a mistake is not found, or can't be put back because the code has changed.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '../../../..');

/** Its name, the file, what stands there, and what is put in its place. Those with a number are bugs of the seeds (S0 in their review). */
const mistakes: readonly (readonly [name: string, file: string, from: string, to: string])[] = [
  [
    'S0.14 finalizer never removed (database)',
    'src/cloud-database/decide.ts',
    "actions: [{ kind: 'removeFinalizer', descriptor: cloudDatabases, target, finalizer: databaseFinalizer, because }],",
    'actions: [],',
  ],
  [
    'S0.15 endpoint of the spec used for every registration',
    'src/monitored-stateful-set/observe.ts',
    'const system = systemAt(endpoint, set, context, monitors);',
    'const system = systemAt(set.spec.monitorEndpoint, set, context, monitors);',
  ],
  [
    'S0.16 absence is not followed by a new registration',
    'src/external-resource/stay.ts',
    'if (record.absentSince !== undefined && now >= believed) {',
    'if (false as boolean) {',
  ],
  [
    'S0.17 no announcement before the call',
    'src/cloud-database/status.ts',
    'if (record === undefined) return undefined;',
    'if (record === undefined || record.id === undefined) return undefined;',
  ],
  [
    'S0.18 no ID means nothing to clean up',
    'src/external-resource/look.ts',
    "if (leaving && record?.id === undefined && record?.createAttemptedAt === undefined) return { kind: 'none' };",
    "if (leaving && record?.id === undefined) return { kind: 'seen', views: [], byId: false };",
  ],
  [
    'S0.18b same in observe',
    'src/cloud-database/observe.ts',
    "if (leaving && neverAnnounced) return { kind: 'none' };",
    "if (leaving && status?.external?.id === undefined) return { kind: 'seen', views: [], byId: false };",
  ],
  [
    'S0.19 no poll while provisioning',
    'src/external-resource/stay.ts',
    'return { record: seen.record, calls: [], standing, view, lookAgainAt: nextPoll({ ...seen, since }, seen.intervals) };',
    'return { record: seen.record, calls: [], standing, view };',
  ],
  [
    'S0.20 size never pushed',
    'src/cloud-database/decide.ts',
    'const size = view.size === undefined || view.size === spec.size ? {} : { size: spec.size };',
    'const size = {};',
  ],
  [
    'S0.25 finalizer before deletion is looked at',
    'src/cloud-database/decide.ts',
    'if (leaving && !target.finalizers.includes(databaseFinalizer)) return nothing;',
    '',
  ],
  [
    'no finalizer first',
    'src/cloud-database/decide.ts',
    'if (!target.finalizers.includes(databaseFinalizer)) {',
    'if ((false as boolean)) {',
  ],
  [
    'create repeated at once without tokens',
    'src/external-resource/stay.ts',
    "if (traits.repeatedCreate === 'returnsFirst') {",
    'if ((true as boolean)) {',
  ],
  [
    'gone believed before it must have shown',
    'src/external-resource/leave.ts',
    'if (shown === undefined || now >= shown) return done(',
    'if ((true as boolean)) return done(',
  ],
  [
    'vanished believed at once',
    'src/external-resource/stay.ts',
    'if (record.absentSince !== undefined && now >= believed) {',
    'if ((true as boolean)) {',
  ],
  [
    'old announcement still sent',
    'src/external-resource/call.ts',
    'if (clock.now() > call.notAfter)',
    'if ((false as boolean))',
  ],
  [
    'ID forgotten after create',
    'src/external-resource/record.ts',
    "return { ...without(record, 'absentSince'), id };",
    'return record;',
  ],
  [
    'moment of decision taken after the look',
    'src/cloud-database/reconcile.ts',
    'const chance = { now, random',
    'const chance = { now: context.clock.now(), random',
  ],
  [
    'same token for the next incarnation',
    'src/external-resource/record.ts',
    'return `${owner}-${incarnation}`;',
    'return `${owner}-${Math.min(incarnation, 1)}`;',
  ],
  [
    'old registration removed first',
    'src/monitored-stateful-set/decide.ts',
    'const there = isSeen ? former',
    'const there = (true as boolean) ? former',
  ],
  [
    'deletes only the recorded ID, not what is found by owner',
    'src/external-resource/leave.ts',
    'view.owner === owner || (view.owner === undefined && view.id === record?.id)',
    'view.id === record?.id',
  ],
  [
    'makes a new one while the old is being deleted',
    'src/external-resource/stay.ts',
    '  if (views.length > 0) {',
    '  if ((false as boolean)) {',
  ],
];

/** Whether the search finds the mistake, and what it says. */
function isFound(file: string, from: string, to: string): string {
  const root = mkdtempSync(join(tmpdir(), 'ordinal-mistake-'));
  try {
    mkdirSync(join(root, 'libs'));
    const copy = join(root, 'libs/reconcilers');
    const filter = (path: string): boolean => !/node_modules|dist/.test(path.slice(repository.length));
    cpSync(join(repository, 'libs/reconcilers'), copy, { recursive: true, filter });
    symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
    symlinkSync(join(repository, 'libs/api'), join(root, 'libs/api'));
    const source = readFileSync(join(copy, file), 'utf8');
    if (!source.includes(from)) return 'can’t be put back: the code has changed';
    writeFileSync(join(copy, file), source.replace(from, to));
    const program = join(copy, 'test/external/explore.ts');
    const { stderr, status } = spawnSync(
      process.execPath,
      ['--conditions=ordinal-source', program, '--minutes', '1.5'],
      { encoding: 'utf8' },
    );
    const invariant = /invariant: '([^']+)',\s+what: ['"]([^'"]*)/.exec(stderr);
    return status === 1 && invariant ? `found by ${invariant[1] ?? ''}: ${invariant[2] ?? ''}` : 'not found';
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const wanted = process.argv[2] ?? '';
for (const [name, file, from, to] of mistakes.filter((mistake) => mistake[0].includes(wanted))) {
  const answer = isFound(file, from, to);
  if (!answer.startsWith('found')) process.exitCode = 1;
  console.log(`${name}: ${answer}`);
}
