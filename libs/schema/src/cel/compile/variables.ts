import type { Expression } from '../syntax/ast.ts';
import type { StaticType } from './types.ts';

/** The variables that an expression may name, with their types; and the types of its parts, as they come to be known. */
export class Variables {
  /** The type of each part that was compiled. */
  readonly types: Map<Expression, StaticType>;
  /** Literals may mix types here: anywhere in what `format` is called with. */
  readonly mixed: boolean;
  /** Whether expressions may make messages: `Object{…}` and `JSONPatch{…}`. */
  readonly messages: boolean;
  readonly #declared: ReadonlyMap<string, StaticType>;

  private constructor(
    declared: ReadonlyMap<string, StaticType>,
    { types, mixed, messages }: Pick<Variables, 'types' | 'mixed' | 'messages'>,
  ) {
    this.#declared = declared;
    this.types = types;
    this.mixed = mixed;
    this.messages = messages;
  }

  /** These variables, and no part compiled yet. */
  static of(declared: Iterable<readonly [string, StaticType]>, messages = false): Variables {
    return new Variables(new Map(declared), { types: new Map(), mixed: false, messages });
  }

  /** The type of a variable; undefined where there is none of the name. */
  get(name: string): StaticType | undefined {
    return this.#declared.get(name);
  }

  /** These variables and more, which hide those of the same name. */
  with(...more: readonly (readonly [string, StaticType])[]): Variables {
    return new Variables(new Map([...this.#declared, ...more]), this);
  }

  /** The same variables, where literals may mix types. */
  mixing(): Variables {
    return new Variables(this.#declared, { types: this.types, mixed: true, messages: this.messages });
  }
}
