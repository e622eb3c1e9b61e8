/** What can be asked for with `--only`. */
export type Part = 'types' | 'clients' | 'constructs' | 'validators';

/** A file to write. */
export interface GeneratedFile {
  /** Relative to the output folder, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** How files are emitted. */
export interface EmitOptions {
  readonly parts: ReadonlySet<Part>;
  readonly extension: string;
  readonly typesFrom: string | undefined;
}
