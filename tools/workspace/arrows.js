/**
 * Which package may import which: the arrows of docs/concepts/architecture.md, and no others. Lint refuses every other import, and a test holds the project
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
  recipes: ['constructs'],
  reconcilers: ['api', 'constructs', 'lifecycle', 'runtime', 'client'],
  operator: ['api', 'client', 'constructs', 'lifecycle', 'reconcilers', 'runtime'],
  simulator: ['schema', 'client', 'runtime'],
  explorer: ['client', 'simulator'],
  'control-plane': ['client'],
  codegen: ['schema'],
  'kubectl-ordinal': ['api', 'client', 'constructs', 'explorer', 'lifecycle', 'reconcilers', 'runtime', 'simulator'],
};
