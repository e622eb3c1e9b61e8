/**
 * Which package may import which: the arrows of docs/architecture.md, and no others. Lint refuses every other import, and a test holds the project
 * graph to this table.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const arrows = {
  schema: [],
  client: [],
  runtime: ['client'],
  lifecycle: ['runtime', 'client'],
  api: ['schema', 'client'],
  constructs: ['api'],
  reconcilers: ['api', 'constructs', 'lifecycle', 'runtime', 'client'],
  operator: ['api', 'client', 'constructs', 'lifecycle', 'reconcilers', 'runtime'],
  testing: ['schema', 'client', 'runtime'],
  codegen: ['schema'],
};
