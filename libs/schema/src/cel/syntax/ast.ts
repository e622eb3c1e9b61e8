/** A node of a CEL expression as it was written; macros are still calls. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'identifier'; readonly name: string }
  | { readonly kind: 'select'; readonly operand: Expression; readonly field: string; readonly optional: boolean }
  | { readonly kind: 'index'; readonly operand: Expression; readonly index: Expression; readonly optional: boolean }
  | { readonly kind: 'call'; readonly name: string; readonly target?: Expression; readonly args: readonly Expression[] }
  | { readonly kind: 'list'; readonly items: readonly { readonly value: Expression; readonly optional: boolean }[] }
  | { readonly kind: 'map'; readonly entries: readonly MapEntry[] }
  | { readonly kind: 'message'; readonly name: string; readonly fields: readonly MessageField[] };

/** An entry of a map literal; an optional one is left out when its value is none. */
export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly optional: boolean;
}

/** A field of a message literal; an optional one is left out when its value is none. */
export interface MessageField {
  readonly name: string;
  readonly value: Expression;
  readonly optional: boolean;
}

/** A constant: int is a bigint, double a number, uint its own. */
export type Literal = null | boolean | bigint | number | string | Uint8Array | { readonly uint: bigint };

/** The expression is not CEL. */
export class CelSyntaxError extends Error {
  override readonly name = 'CelSyntaxError';
}
