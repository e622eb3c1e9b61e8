import type { JsonValue } from '../../json.ts';
import type { Correlation } from '../correlation.ts';
import { quote } from '../go-text.ts';
import type { Node } from '../node.ts';
import { composite, Result } from './result.ts';
import { checkNode } from './schema.ts';
import type { Walk } from './schema.ts';

/** `anyOf`, `oneOf`, `allOf` and `not`, in the order and with the choice of errors of kube-openapi's `schemaPropsValidator`. */
export function validateJunctors(walk: Walk, node: Node, value: JsonValue, correlation: Correlation | undefined): void {
  const outer = walk.result;
  // Branches see the children's correlations but are not themselves ratcheted: the surrounding value is.
  const run = (branch: Node): Result => {
    walk.result = new Result();
    checkNode(walk, branch, value, correlation);
    const { result } = walk;
    walk.result = outer;
    return result;
  };
  if (node.anyOf.length > 0) anyOf(walk, node, run);
  if (node.oneOf.length > 0) oneOf(walk, node, run);
  if (node.allOf.length > 0) allOf(walk, node, run);
  if (node.not !== undefined && run(node.not).valid) {
    outer.add(composite(`${quote(walk.name)} must not validate the schema (not)`));
  }
}

type Run = (branch: Node) => Result;

function anyOf(walk: Walk, node: Node, run: Run): void {
  let best: Result | undefined;
  for (const branch of node.anyOf) {
    const result = run(branch);
    if (result.valid) {
      walk.result.merge(result);
      return;
    }
    if (best === undefined || result.matchCount > best.matchCount) best = result;
  }
  walk.result.add(composite(`${quote(walk.name)} must validate at least one schema (anyOf)`));
  if (best !== undefined) walk.result.merge(best);
}

function oneOf(walk: Walk, node: Node, run: Run): void {
  let best: Result | undefined;
  let success: Result | undefined;
  let validated = 0;
  for (const branch of node.oneOf) {
    const result = run(branch);
    if (result.valid) {
      validated++;
      best = undefined;
      success ??= result;
    } else if (validated === 0 && (best === undefined || result.matchCount > best.matchCount)) {
      best = result;
    }
  }
  if (validated === 1 && success !== undefined) {
    walk.result.merge(success);
    return;
  }
  const found = validated === 0 ? 'Found none valid' : `Found ${String(validated)} valid alternatives`;
  walk.result.add(composite(`${quote(walk.name)} must validate one and only one schema (oneOf). ${found}`));
  if (best !== undefined) walk.result.merge(best);
}

function allOf(walk: Walk, node: Node, run: Run): void {
  let validated = 0;
  for (const branch of node.allOf) {
    const result = run(branch);
    if (result.valid) validated++;
    walk.result.merge(result);
  }
  if (validated === node.allOf.length) return;
  const none = validated === 0 ? '. None validated' : '';
  walk.result.add(composite(`${quote(walk.name)} must validate all the schemas (allOf)${none}`));
}
