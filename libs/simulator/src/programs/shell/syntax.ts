/** A part of a word: text, or what is put in its place when the command runs. */
export type WordPart =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly otherwise?: Word | undefined;
      readonly quoted: boolean;
    }
  | { readonly kind: 'output'; readonly script: Script; readonly quoted: boolean }
  | { readonly kind: 'arithmetic'; readonly expression: Word; readonly quoted: boolean };

/** A word of a command. */
export type Word = readonly WordPart[];

/** Where a command reads from or writes to instead. */
export interface Redirection {
  readonly stream: 0 | 1 | 2;
  readonly operator: '<' | '>' | '>>' | '>&';
  readonly target: Word;
}

/** A command, simple or made of others. */
export type Command =
  | {
      readonly kind: 'simple';
      readonly assignments: readonly (readonly [name: string, value: Word])[];
      readonly words: readonly Word[];
      readonly redirections: readonly Redirection[];
    }
  | { readonly kind: 'pipe'; readonly stages: readonly Command[]; readonly negated: boolean }
  | { readonly kind: 'chain'; readonly first: Command; readonly rest: readonly ChainLink[] }
  | { readonly kind: 'group'; readonly body: Script; readonly redirections: readonly Redirection[] }
  | {
      readonly kind: 'if';
      readonly branches: readonly { readonly test: Script; readonly then: Script }[];
      readonly otherwise?: Script | undefined;
    }
  | { readonly kind: 'while'; readonly test: Script; readonly body: Script; readonly until: boolean }
  | { readonly kind: 'for'; readonly name: string; readonly words: readonly Word[]; readonly body: Script };

/** What is run after a command that has succeeded, or that has failed. */
export interface ChainLink {
  readonly when: '&&' | '||';
  readonly command: Command;
}

/** Commands one after the other. Nothing waits for those in the background. */
export type Script = readonly { readonly command: Command; readonly background: boolean }[];

/** A script that the simulated shell can't read: it may be right, and a real shell is needed for it. */
export class UnknownSyntax extends Error {}
