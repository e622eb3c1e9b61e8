import { join, relative } from 'node:path';
import ts from 'typescript';
import { textsOf } from './texts.ts';

/** A place of the source that publishes an event, with all the reasons that it can give. */
export interface Publication {
  /** From the root of the workspace, with the line: `libs/x/src/y.ts:12`. */
  readonly place: string;
  /** Undefined where the types do not say which reasons there are: a plain `string`. */
  readonly reasons: readonly string[] | undefined;
}

/** The packages whose sources publish events. */
const packages = ['libs/reconcilers', 'libs/lifecycle', 'libs/runtime', 'apps/operator'];

/**
 * Every event that the sources can publish: each object with a `note` and with a `type` or a `reason`. The reasons come from the types, so that a reason that a
 * function hands in, or that is put together of two words, is found too.
 */
export function publications(root: string): readonly Publication[] {
  const config = ts.readConfigFile(join(root, 'tsconfig.base.json'), (path) => ts.sys.readFile(path)).config as unknown;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const files = packages.flatMap((name) =>
    ts.sys.readDirectory(join(root, name, 'src'), ['.ts']).filter((file) => !file.endsWith('.test.ts')),
  );
  const program = ts.createProgram(files, options);
  const checker = program.getTypeChecker();
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`${file} is no source file`);
    return announcements(source).map(({ literal, reason }) => ({
      place: `${relative(root, file)}:${String(source.getLineAndCharacterOfPosition(literal.getStart(source)).line + 1)}`,
      reasons: reason && textsOf(reason, checker),
    }));
  });
}

interface Found {
  readonly literal: ts.ObjectLiteralExpression;
  /** The value of the property `reason`; undefined where it comes from elsewhere. */
  readonly reason: ts.Expression | ts.ShorthandPropertyAssignment | undefined;
}

/** The objects that are events; the API's own form of an event, which has a time, is only a copy of one. */
function announcements(source: ts.SourceFile): readonly Found[] {
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const named = new Map(node.properties.map((property) => [property.name?.getText(source), property]));
      const reason = named.get('reason');
      if (named.has('note') && (named.has('type') || reason !== undefined) && !named.has('eventTime')) {
        const isShort = reason !== undefined && ts.isShorthandPropertyAssignment(reason);
        const given = reason !== undefined && ts.isPropertyAssignment(reason) ? reason.initializer : undefined;
        found.push({ literal: node, reason: isShort ? reason : given });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
