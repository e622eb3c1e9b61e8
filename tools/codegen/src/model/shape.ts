/**
 * A type's text. Structures that are emitted apart stand in it as references (`\u0001` id `\u0002`), so that equal texts are equal types and names can
 * be chosen when all is known.
 */
export interface TypeText {
  readonly text: string;
  /** True where the text is a union or an array type, which needs parentheses inside another. */
  readonly compound?: boolean;
}

/** One property of a structure. All of it is part of the structure's identity, so that a docstring is true of each place. */
export interface Member {
  readonly key: string;
  readonly optional: boolean;
  readonly type: TypeText;
  /** The author's words. */
  readonly prose: string;
  /** What the schema says beyond the type. */
  readonly facts: readonly string[];
}

/** An object type that is emitted once, and every name that it goes by. */
export interface Shape {
  readonly id: number;
  /** The shape that this one extends: the written form, of a read form that differs from it. */
  readonly base?: TypeText;
  readonly members: readonly Member[];
  /** The type of all other properties of an open object or a map with required keys. */
  readonly rest: TypeText | undefined;
  /** The author's words on the structure as a whole, where it was first met. Not part of its identity: each property that holds it has its own. */
  readonly prose: string;
  readonly facts: readonly string[];
  /**
   * Every path at which it stands, in the order in which it was met there: the first one's module declares it. Of that module's names the first in order of
   * `compareNames` is the name of the declaration, all others are aliases.
   */
  readonly names: ShapeName[];
}

/** One name of a shape, and the path that gave it. */
export interface ShapeName {
  /** The module that has the name: group, version and kind, `cert-manager.io/v1/certificate`. */
  readonly module: string;
  readonly path: readonly string[];
  readonly name: string;
  readonly input: boolean;
}

/** The description of a shape before it is known whether there is one like it. */
export type ShapeDraft = Omit<Shape, 'id' | 'names'>;

/** All structures, each once, whatever the groups, kinds and versions in which it stands. */
export class ShapeTable {
  readonly #byKey = new Map<string, Shape>();
  readonly #shapes: Shape[] = [];

  /** The reference to the one shape that is like the draft, which goes by this name too from now on. */
  intern(draft: ShapeDraft, name: ShapeName): TypeText {
    const key = keyOf(draft);
    let shape = this.#byKey.get(key);
    if (shape === undefined) {
      shape = { ...draft, id: this.#shapes.length, names: [] };
      this.#byKey.set(key, shape);
      this.#shapes.push(shape);
    }
    shape.names.push(name);
    return { text: reference(shape.id) };
  }

  /** The shapes in the order in which they were first met. */
  get shapes(): readonly Shape[] {
    return this.#shapes;
  }
}

const reference = (id: number): string => `\u0001${String(id)}\u0002`;

/** Replaces the references in a type's text by names. */
export function withNames(text: string, nameOf: (id: number) => string): string {
  // eslint-disable-next-line no-control-regex -- the marks of a reference, which no CRD's text can hold: literals are escaped
  return text.includes('\u0001') ? text.replace(/\u0001(\d+)\u0002/g, (_, id: string) => nameOf(Number(id))) : text;
}

/** Shorter paths before longer ones, then by key; the read form before the written one. */
export function compareNames(a: ShapeName, b: ShapeName): number {
  if (a.path.length !== b.path.length) return a.path.length - b.path.length;
  if (a.name !== b.name) return a.input === b.input ? (a.name < b.name ? -1 : 1) : a.input ? 1 : -1;
  return 0;
}

function keyOf(draft: ShapeDraft): string {
  const members = draft.members.map(({ key, optional, type, prose, facts }) => [
    key,
    optional,
    type.text,
    prose,
    facts,
  ]);
  return JSON.stringify([draft.base?.text, members, draft.rest?.text, draft.facts]);
}
