/**
 * json-schema-to-typescript as the printer of our structures (decision 65), beside the printer that is: each structure is a schema of its own, whose references are
 * `tsType`, printed without formatting.
 *
 *     npm ci && npm run printer -- [--crds DIR] [--rounds N]
 *
 * For each CRD by itself, in one process, in turns: all parts as they are generated today; of that, the printing of the types alone; and the same structures printed by
 * json-schema-to-typescript, one by one and all of a module in one call. Processor time, sums over all CRDs. Then what it printed is compared with ours, declaration by
 * declaration: name, base, and each member's name, type and words, whether it may be left out, and whether it is read-only.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compile } from 'json-schema-to-typescript';
import ts from 'typescript';
import { readDefinitions } from '../../tools/codegen/src/crd/read.ts';
import { emitTypes } from '../../tools/codegen/src/emit/types.ts';
import { generate } from '../../tools/codegen/src/index.ts';
import { modelsOf } from '../../tools/codegen/src/model/kind.ts';

const { values } = parseArgs({
  options: {
    crds: { type: 'string', default: join(import.meta.dirname, '../../tools/codegen/fixtures/crds') },
    rounds: { type: 'string', default: '3' },
  },
});

const options = { format: false, bannerComment: '', ignoreMinAndMaxItems: true, additionalProperties: false };

/** A structure as a schema. Its types are texts already: none of them is the printer's to make. */
function schemaOf({ name, base, members, rest, prose, facts, root }) {
  const described = (text, said) => [text, ...said.map((fact) => fact.replace('\0', ''))].join('\n').trim();
  return {
    title: name,
    type: 'object',
    description: described(prose, root ? facts : []),
    ...(base === undefined ? {} : { extends: { title: base, type: 'object', tsType: base } }),
    properties: Object.fromEntries(
      members.map((member) => [
        member.key,
        { tsType: member.type.text, description: described(member.prose, member.facts) },
      ]),
    ),
    required: members.filter(({ optional }) => !optional).map(({ key }) => key),
    additionalProperties: rest === undefined ? false : { tsType: rest },
  };
}

async function oneByOne(models) {
  const texts = [];
  for (const { structures } of models)
    for (const structure of structures) texts.push(await compile(schemaOf(structure), structure.name, options));
  return texts;
}

async function byModule(models) {
  const texts = [];
  for (const { structures } of models) {
    const $defs = Object.fromEntries(structures.map((structure) => [structure.name, schemaOf(structure)]));
    const whole = { title: 'Module', type: 'object', $defs };
    texts.push(await compile(whole, 'Module', { ...options, unreachableDefinitions: true }));
  }
  return texts;
}

const ours = (models) => models.map((model) => emitTypes(model, (module) => module));

/** Processor seconds of a call. */
async function seconds(call) {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const sources = readdirSync(values.crds)
  .filter((file) => file.endsWith('.yaml'))
  .sort()
  .map((file) => ({ file, text: readFileSync(join(values.crds, file), 'utf8') }));

const failures = new Map();
const failed = (way, file, error) => failures.set(`${way}, ${file}`, String(error).split('\n')[0]);
const rounds = [];
for (let round = 0; round < Number(values.rounds); round += 1) {
  const sums = { all: 0, ours: 0, oneByOne: 0, byModule: 0 };
  for (const source of sources) {
    const models = modelsOf(readDefinitions([source]));
    sums.all += await seconds(() => generate([source]));
    sums.ours += await seconds(() => ours(models));
    for (const [way, print] of Object.entries({ oneByOne, byModule }))
      sums[way] += await seconds(() => print(models).catch((error) => failed(way, source.file, error)));
  }
  rounds.push(sums);
  process.stderr.write(`${JSON.stringify(sums)}\n`);
}

/** What a declaration promises: each member's name, whether it may be left out, whether it may be written, its type, and its words. */
function declarationsIn(text) {
  const file = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, true);
  return file.statements.filter(ts.isInterfaceDeclaration).map((declaration) => ({
    declared: declaration.name.text,
    base: declaration.heritageClauses?.map((clause) => clause.getText()).join() ?? '',
    members: declaration.members.map((member) => ({
      name:
        member.name === undefined ? 'rest' : ts.isStringLiteral(member.name) ? member.name.text : member.name.getText(),
      optional: member.questionToken !== undefined,
      readonly: member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword) ?? false,
      type: member.type?.getText().replace(/\s+/g, ' ') ?? '',
      words: ts
        .getJSDocCommentsAndTags(member)
        .map((doc) => doc.getText().replace(/[\s*/]+/g, ' '))
        .join(),
    })),
  }));
}

const differing = {
  structures: 0,
  members: 0,
  declared: 0,
  readonly: 0,
  base: 0,
  count: 0,
  name: 0,
  optional: 0,
  type: 0,
  words: 0,
  unreadable: 0,
};
for (const source of sources)
  for (const model of modelsOf(readDefinitions([source])))
    for (const structure of model.structures) {
      const [mine] = declarationsIn(
        emitTypes({ ...model, structures: [{ ...structure, aliases: [] }], borrowed: [] }, (module) => module),
      );
      const text = await compile(schemaOf(structure), structure.name, options).catch(() => '');
      const theirs = declarationsIn(text).at(0);
      differing.structures += 1;
      if (theirs === undefined) {
        differing.unreadable += 1;
        continue;
      }
      if (mine.declared !== theirs.declared) differing.declared += 1;
      if (mine.base !== theirs.base) differing.base += 1;
      if (mine.members.length !== theirs.members.length) differing.count += 1;
      mine.members.forEach((member, index) => {
        differing.members += 1;
        for (const aspect of ['readonly', 'name', 'optional', 'type', 'words'])
          if (member[aspect] !== theirs.members[index]?.[aspect]) differing[aspect] += 1;
      });
    }

const row = (name, of) => `| ${name} | ${rounds.map((sums) => of(sums).toFixed(2)).join(', ')} |`;
console.log(`${sources.length} CRDs, ${values.rounds} rounds in turns, processor time; Node ${process.versions.node}

| | s |
| --- | ---: |
${row('all parts, as today', ({ all }) => all)}
${row('of it, printing the types', (sums) => sums.ours)}
${row('json-schema-to-typescript, one by one', (sums) => sums.oneByOne)}
${row('json-schema-to-typescript, a module at once', (sums) => sums.byModule)}
${row('times today, one by one', (sums) => (sums.all - sums.ours + sums.oneByOne) / sums.all)}
${row('times today, a module at once', (sums) => (sums.all - sums.ours + sums.byModule) / sums.all)}

Declarations and members that differ from ours: ${JSON.stringify(differing)}`);
for (const [where, error] of failures) console.log(`failed: ${where}: ${error}`);
